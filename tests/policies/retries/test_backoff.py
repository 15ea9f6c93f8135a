"""The four formulas of AWS's "Exponential backoff and jitter", as numbers."""

import random
from statistics import fmean

import pytest

from policies.retries.backoff import JITTERS, longest_s


class Highest(random.Random):
    """Draws the upper end."""

    def uniform(self, a, b):
        return b


class Lowest(random.Random):
    """Draws the lower end."""

    def uniform(self, a, b):
        return a


def test_the_longest_wait_doubles_up_to_its_end():
    assert [longest_s(made, 0.1, 2.0, 1.0) for made in (1, 2, 3, 4, 5)] == [0.1, 0.2, 0.4, 0.8, 1.0]
    assert longest_s(10**6, 1.0, 2.0, 30.0) == 30.0
    assert longest_s(10**6, 0.0, 2.0, 30.0) == 0.0


@pytest.mark.parametrize(
    ("jitter", "lowest", "highest"),
    [("full", 0.0, 8.0), ("off", 8.0, 8.0), ("equal", 4.0, 8.0), ("decorrelated", 1.0, 9.0)],
)
def test_each_jitter_draws_between_its_own_ends(jitter, lowest, highest):
    """Longest 8 s, the wait before 3 s, the first 1 s, none over 20 s."""
    ends = [JITTERS[jitter](8.0, 3.0, 1.0, 20.0, rng) for rng in (Lowest(), Highest())]
    assert ends == [lowest, highest]


def test_decorrelated_jitter_never_exceeds_the_longest_wait_of_all():
    assert JITTERS["decorrelated"](8.0, 100.0, 1.0, 20.0, Highest()) == 20.0


def test_full_jitter_waits_half_as_long_as_none_on_average():
    rng = random.Random(1)
    waits = {
        name: fmean(JITTERS[name](8.0, 3.0, 1.0, 20.0, rng) for _ in range(4000))
        for name in ("full", "equal", "decorrelated")
    }
    assert waits == pytest.approx({"full": 4.0, "equal": 6.0, "decorrelated": 5.0}, rel=0.03)
