"""A store of tokens: retries use it up, successes fill it again."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from policies.evidence import Credit
from policies.retries.aws_budget import AwsBudget


def full(capacity=500):
    return AwsBudget(capacity, 14, 5, 1)


def test_a_retry_costs_14_and_after_an_overload_5():
    budget = full()
    account = budget.open(0.0)
    account.learn(Credit.WITHDRAW)
    assert account.take(0.0)
    assert budget.left == 486
    account.learn(Credit.WITHDRAW, busy=True)
    assert account.take(0.0)
    assert budget.left == 481


def test_a_success_brings_back_what_the_latest_retry_of_its_call_cost():
    budget = full()
    account = budget.open(0.0)
    for busy in (False, True):
        account.learn(Credit.WITHDRAW, busy=busy)
        assert account.take(0.0)
    account.learn(Credit.DEPOSIT)
    assert budget.left == 500 - 14


def test_a_success_without_a_retry_brings_1_and_never_more_than_the_store_holds():
    budget = full()
    failed = budget.open(0.0)
    failed.learn(Credit.WITHDRAW)
    failed.take(0.0)
    budget.open(0.0).learn(Credit.DEPOSIT)
    assert budget.left == 487
    for _ in range(100):
        budget.open(0.0).learn(Credit.DEPOSIT)
    assert budget.left == 500


@pytest.mark.parametrize(("busy", "retries"), [(False, 35), (True, 100)])
def test_when_everything_fails_the_store_pays_for_so_many_retries_and_then_for_none(busy, retries):
    budget = full()
    made = 0
    for _ in range(1000):
        account = budget.open(0.0)
        account.learn(Credit.WITHDRAW, busy=busy)
        made += account.take(0.0)
        account.close()
    assert made == retries


class Store(RuleBasedStateMachine):
    """Never below nothing, never above its capacity, and no call gets back more than it paid."""

    accounts = Bundle("accounts")

    def __init__(self):
        super().__init__()
        self.budget = full(capacity=60)
        self.paid = {}

    @rule(target=accounts)
    def begin(self):
        return self.budget.open(0.0)

    @rule(account=accounts)
    def retry(self, account):
        before, cost = self.budget.left, 5 if account.busy else 14
        assert account.take(0.0) is (before >= cost)
        if before >= cost:
            self.paid[account] = self.paid.get(account, 0) + cost
            assert self.budget.left == before - cost

    @rule(account=accounts, busy=st.booleans())
    def fail(self, account, busy):
        before = self.budget.left
        account.learn(Credit.WITHDRAW, busy=busy)
        assert self.budget.left == before

    @rule(account=accounts, credit=st.sampled_from([Credit.DEPOSIT, Credit.NOTHING]))
    def end(self, account, credit):
        before = self.budget.left
        account.learn(credit)
        back = self.budget.left - before
        assert 0 <= back <= max(1, self.paid.get(account, 0))
        if credit is Credit.DEPOSIT:
            self.paid.pop(account, None)

    @invariant()
    def what_is_left_stays_within_its_bounds(self):
        assert 0 <= self.budget.left <= 60


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=60, stateful_step_count=30, derandomize=True, deadline=None)
