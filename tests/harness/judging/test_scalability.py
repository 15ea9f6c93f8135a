"""The Universal Scalability Law: its shape, and that its constants are found again."""

import random
from math import inf

import pytest

from harness.judging.scalability import Scalability, fit

SWEEP = [1, 2, 4, 8, 16, 32, 64, 100]
LAW = Scalability(one_rps=20.0, contention_ratio=0.05, crosstalk_ratio=0.0005)


def _measured(law: Scalability) -> list[float]:
    return [law.throughput_rps(n) for n in SWEEP]


def test_one_caller_gets_what_one_caller_gets() -> None:
    assert LAW.throughput_rps(1) == 20.0


def test_exact_points_give_the_constants_back() -> None:
    found = fit(SWEEP, _measured(LAW))
    assert found.one_rps == pytest.approx(20.0)
    assert found.contention_ratio == pytest.approx(0.05)
    assert found.crosstalk_ratio == pytest.approx(0.0005)


def test_noise_of_one_percent_moves_the_peak_by_less_than_three_callers() -> None:
    rng = random.Random(1)
    noisy = [rps * rng.gauss(1, 0.01) for rps in _measured(LAW)]
    assert fit(SWEEP, noisy).peak == pytest.approx(LAW.peak, abs=3)


def test_no_concurrency_gives_more_than_the_peak() -> None:
    assert LAW.peak == pytest.approx(43.6, abs=0.05)
    best = LAW.throughput_rps(LAW.peak)
    assert all(LAW.throughput_rps(n) <= best for n in range(1, 200))


def test_the_knee_is_where_throughput_times_speed_is_best() -> None:
    def power(n: float) -> float:
        return LAW.throughput_rps(n) ** 2 / n  # latency is n / X

    assert 1 < LAW.knee < LAW.peak
    assert power(LAW.knee) > power(LAW.knee * 0.99)
    assert power(LAW.knee) > power(LAW.knee * 1.01)


def test_without_crosstalk_there_is_a_knee_but_no_peak() -> None:
    queueing = Scalability(one_rps=1.0, contention_ratio=0.1, crosstalk_ratio=0.0)
    assert queueing.peak == inf
    assert queueing.knee == pytest.approx(9.0)


def test_what_shares_nothing_grows_for_ever() -> None:
    linear = fit(SWEEP, [3.0 * n for n in SWEEP])
    assert linear.throughput_rps(1000) == pytest.approx(3000.0, rel=1e-6)
    assert Scalability(one_rps=3.0, contention_ratio=0.0, crosstalk_ratio=0.0).knee == inf


def test_a_worker_that_does_one_thing_at_a_time_peaks_at_once() -> None:
    serial = fit(SWEEP, [5.0] * len(SWEEP))
    assert serial.contention_ratio == pytest.approx(1.0)
    assert Scalability(one_rps=5.0, contention_ratio=1.0, crosstalk_ratio=0.0).peak == 1.0
    assert Scalability(one_rps=5.0, contention_ratio=1.0, crosstalk_ratio=0.0).knee == 1.0


def test_growth_beyond_linear_is_not_taken_for_negative_contention() -> None:
    found = fit([1, 2, 4, 8], [1.0, 2.2, 4.8, 10.4])
    assert found.contention_ratio == found.crosstalk_ratio == 0.0


@pytest.mark.parametrize(
    ("concurrency", "throughput_rps"),
    [
        ([1, 2], [1.0, 2.0]),
        ([1, 1, 2], [1.0, 1.0, 2.0]),
        ([1, 2, 3], [1.0, 2.0]),
        ([0, 1, 2], [1.0, 1.0, 2.0]),
        ([1, 2, 4], [1.0, 0.0, 2.0]),
        ([1, 2, 4], [1.0, float("nan"), 2.0]),
        ([1, 2, float("inf")], [1.0, 2.0, 3.0]),
        ([], []),
    ],
)
def test_points_that_fix_no_law_are_refused(concurrency: list[float], throughput_rps: list[float]) -> None:
    with pytest.raises(ValueError, match="three different concurrencies"):
        fit(concurrency, throughput_rps)
