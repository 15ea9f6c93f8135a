"""So many retries at once, as a share of the calls in progress."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from policies.evidence import Credit
from policies.retries.envoy_budget import EnvoyBudget


@pytest.mark.parametrize(("calls", "allowed"), [(0, 3), (1, 3), (15, 3), (19, 3), (20, 4), (100, 20)])
def test_a_fifth_of_the_calls_in_progress_or_three_may_be_retried_at_once(calls, allowed):
    budget = EnvoyBudget(0.2, 3)
    accounts = [budget.open(0.0) for _ in range(max(calls, 1))]
    budget.calls = calls
    assert sum(accounts[0].take(0.0) for _ in range(calls + 10)) == allowed


def test_shares_that_floats_miss_by_a_hair_still_count():
    budget = EnvoyBudget(0.29, 0)
    accounts = [budget.open(0.0) for _ in range(100)]
    assert sum(account.take(0.0) for account in accounts) == 29


def test_a_retry_gives_its_place_back_when_it_ends_and_not_when_the_first_attempt_does():
    budget = EnvoyBudget(0.0, 1)
    account, other = budget.open(0.0), budget.open(0.0)
    account.learn(Credit.WITHDRAW)
    assert account.take(0.0)
    assert not other.take(0.0)
    account.learn(Credit.WITHDRAW)
    assert other.take(0.0)


def test_a_call_that_ends_gives_back_all_that_it_holds():
    budget = EnvoyBudget(0.0, 2)
    account = budget.open(0.0)
    assert [account.take(0.0) for _ in range(3)] == [True, True, False]
    account.close()
    assert (budget.calls, budget.retries) == (0, 0)


# envoy#25660: how to size the floor, when the bound grows as calls pile up at a slow worker
def test_calls_that_pile_up_raise_the_bound_that_should_protect_from_them():
    budget = EnvoyBudget(0.1, 3)
    healthy = [budget.open(0.0) for _ in range(12)]
    assert budget.most_retries == 3
    healthy += [budget.open(0.0) for _ in range(88)]
    assert budget.most_retries == 10


class Places(RuleBasedStateMachine):
    """Retries in progress never exceed the bound at their start, and are never negative."""

    accounts = Bundle("accounts")

    def __init__(self):
        super().__init__()
        self.budget = EnvoyBudget(0.25, 2)
        self.open = []

    @rule(target=accounts)
    def begin(self):
        account = self.budget.open(0.0)
        self.open.append(account)
        return account

    @rule(account=accounts)
    def retry(self, account):
        before, bound = self.budget.retries, max(2, len(self.open) // 4)
        assert account.take(0.0) is (before < bound)
        assert self.budget.retries == before + (before < bound)

    @rule(account=accounts, credit=st.sampled_from(Credit))
    def attempt_ends(self, account, credit):
        account.learn(credit)

    @rule(account=consumes(accounts))
    def end(self, account):
        account.close()
        self.open.remove(account)

    @invariant()
    def the_books_agree(self):
        assert self.budget.calls == len(self.open)
        assert self.budget.retries == sum(account.retries for account in self.open)
        assert all(account.retries >= 0 for account in self.open)


TestPlaces = Places.TestCase
TestPlaces.settings = settings(max_examples=60, stateful_step_count=30, derandomize=True, deadline=None)
