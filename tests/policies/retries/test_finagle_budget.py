"""A share of the calls of the last seconds, and a few for nothing."""

import math

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from policies.retries.finagle_budget import SLICES, FinagleBudget


def taken(budget, now, tries=1000):
    return sum(budget.take(now) for _ in range(tries))


def test_ten_calls_pay_for_one_retry_and_nine_for_none():
    budget = FinagleBudget(ratio=0.1, min_per_sec=0, ttl_s=10)
    for _ in range(9):
        budget.open(0.0)
    assert taken(budget, 0.0) == 0
    budget.open(0.0)
    assert taken(budget, 0.0) == 1


def test_shares_that_floats_miss_by_a_hair_still_count():
    budget = FinagleBudget(ratio=0.29, min_per_sec=0, ttl_s=10)
    for _ in range(100):
        budget.open(0.0)
    assert taken(budget, 0.0) == 29


def test_the_free_ones_are_there_from_the_start_and_again_after_the_ttl():
    budget = FinagleBudget(ratio=0, min_per_sec=0.2, ttl_s=10)
    assert [taken(budget, now) for now in (0.0, 9.9, 10.0, 20.0)] == [2, 0, 2, 2]


def test_calls_pay_for_nothing_once_they_are_older_than_the_ttl():
    budget = FinagleBudget(ratio=1, min_per_sec=0, ttl_s=10)
    for _ in range(5):
        budget.open(0.0)
    assert budget.balance(9.9) == 5
    assert budget.balance(10.0) == 0


def test_a_balance_is_never_negative_though_the_calls_that_paid_go_first():
    budget = FinagleBudget(ratio=1, min_per_sec=0, ttl_s=10)
    budget.open(0.0)
    assert budget.take(9.0)
    assert budget.balance(10.0) == 0
    budget.open(10.0)
    assert not budget.take(10.0), "the retry of 9 s still counts"
    assert budget.take(19.0)


@pytest.mark.parametrize(("ratio", "min_per_sec"), [(0.1, 0.2), (0.1, 0.0), (0.2, 10.0), (0.05, 0.0)])
def test_when_everything_fails_retries_add_their_share_and_the_free_ones_and_no_more(ratio, min_per_sec):
    """20 calls a second, each asks for a retry: ratio * 20 + min_per_sec a second in the long run."""
    budget = FinagleBudget(ratio, min_per_sec, ttl_s=10)
    made = 0
    for number in range(200 * 20):
        now = number / 20
        budget.open(now)
        made += now >= 100 and budget.take(now)
    allowed = 100 * (20 * ratio + min_per_sec)
    slack = 10 * (20 * ratio + min_per_sec)  # what the first seconds found unspent
    assert allowed - slack <= made <= allowed + slack


# floors tuned for large services dominate small ones: Finagle's default lets 5 calls a second all be retried
def test_finagles_own_floor_of_ten_a_second_retries_every_call_of_a_small_service():
    budget = FinagleBudget(ratio=0.2, min_per_sec=10, ttl_s=10)
    made = 0
    for number in range(1000):
        budget.open(number / 5)
        made += budget.take(number / 5) + budget.take(number / 5)
    assert made == 2000


class Spending(RuleBasedStateMachine):
    """Against all events written down one by one."""

    ratio, min_per_sec, ttl_s = 0.3, 0.2, 10.0

    def __init__(self):
        super().__init__()
        self.budget = FinagleBudget(self.ratio, self.min_per_sec, self.ttl_s)
        self.now = 0.0
        self.calls, self.retries = [], []

    def left(self):
        slice_s = self.ttl_s / SLICES
        oldest = math.floor(self.now / slice_s) - SLICES
        calls, retries = (
            sum(math.floor(at_s / slice_s) > oldest for at_s in times) for times in (self.calls, self.retries)
        )
        return self.min_per_sec * self.ttl_s + self.ratio * calls - retries

    @rule(seconds=st.sampled_from([0.0, 0.25, 1.0, 3.0, 9.0, 30.0]))
    def time_passes(self, seconds):
        self.now += seconds

    @rule(times=st.integers(1, 5))
    def calls_begin(self, times):
        for _ in range(times):
            self.budget.open(self.now)
            self.calls.append(self.now)

    @rule()
    def a_retry_is_asked_for(self):
        allowed = self.left() + 1e-9 >= 1
        assert self.budget.take(self.now) is allowed
        if allowed:
            self.retries.append(self.now)

    @invariant()
    def the_balance_is_what_the_events_say_and_never_negative(self):
        assert self.budget.balance(self.now) == pytest.approx(max(0.0, self.left()))


TestSpending = Spending.TestCase
TestSpending.settings = settings(max_examples=60, stateful_step_count=30, derandomize=True, deadline=None)


@pytest.mark.parametrize("ttl_s", [5e-324, 1e-308, 1e-9])
def test_a_life_too_short_to_divide_is_that_of_one_moment(ttl_s):
    budget = FinagleBudget(ratio=1, min_per_sec=0, ttl_s=ttl_s)
    budget.open(1.0)
    assert budget.balance(1e6) == 0
    budget.open(1e6)
    assert budget.take(1e6)
