import math

import numpy as np
import pytest

from harness.judging.percentiles import highest_permitted, quantile, samples_needed


@pytest.mark.parametrize(("q", "needed"), [(0.5, 6), (0.9, 30), (0.95, 60), (0.99, 300), (0.999, 3000)])
def test_a_percentile_needs_three_values_beyond_it(q, needed):
    assert samples_needed(q) == needed


def test_no_p99_under_300_samples():
    assert quantile(np.arange(299.0), 0.99) is None
    assert quantile(np.arange(300.0), 0.99) == 296  # rank 297


@pytest.mark.parametrize(
    ("count", "highest"), [(5, None), (6, 0.5), (59, 0.9), (60, 0.95), (299, 0.95), (300, 0.99)]
)
def test_the_highest_percentile_follows_from_the_number_of_samples(count, highest):
    assert highest_permitted(count) == highest


def test_the_nearest_rank_is_one_of_the_values_and_never_between_two():
    assert quantile(np.array([1.0, 2, 3, 4, 5, 60]), 0.5) == 3


def test_failures_count_as_infinitely_slow():
    values = np.array([0.1] * 90 + [math.inf] * 10)
    assert quantile(values, 0.9) == 0.1
    assert quantile(values, 0.95) == math.inf
