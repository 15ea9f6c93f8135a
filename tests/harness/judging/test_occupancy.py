import numpy as np
import pytest

from harness.judging.occupancy import Occupancy


def test_the_mean_is_the_time_that_intervals_overlap_the_window():
    assert Occupancy.of([(0, 10), (5, 6), (9, 20)]).mean(4, 10) == pytest.approx((6 + 1 + 1) / 6)


def test_block_means_average_to_the_mean_of_the_whole():
    random = np.random.default_rng(3)
    starts = random.uniform(0, 90, 500)
    spans = Occupancy.of(zip(starts, starts + random.exponential(4, 500), strict=True))
    assert spans.means(np.linspace(20, 50, 31)).mean() == pytest.approx(spans.mean(20, 50))


def test_an_interval_is_open_from_its_start_up_to_but_without_its_end():
    assert list(Occupancy.of([(1, 2)]).at(np.array([0.9, 1.0, 1.9, 2.0]))) == [0, 1, 1, 0]


def test_nothing_open_is_a_mean_of_nothing():
    assert Occupancy.of([]).mean(0, 1) == 0
    assert Occupancy.of([]).first_full(1, 0, 0.5) is None


def test_a_burst_is_not_yet_full():
    assert Occupancy.of([(1, 1.4), (1, 1.4)]).first_full(2, 0, 0.5) is None


def test_full_begins_when_the_last_slot_goes_and_lasts():
    assert Occupancy.of([(1, 9), (3, 9)]).first_full(2, 0, 0.5) == 3


def test_a_slot_that_is_handed_on_was_never_free():
    assert Occupancy.of([(0, 9), (0, 4), (4, 4.2), (4.2, 9)]).first_full(2, 0, 8) == 0


def test_only_what_comes_after_counts():
    spans = Occupancy.of([(0, 9)])
    assert spans.first_full(1, 5, 0.5) == 5
    assert spans.first_full(1, 8.8, 0.5) is None
