"""Failures take a token, successes bring back a fraction, and at half there is an end to retries."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from policies.evidence import Credit
from policies.retries.grpc_budget import GrpcBudget


def after(budget, *credits_):
    for credit in credits_:
        budget.learn(credit)
    return budget


def test_retries_end_at_half_of_the_tokens_and_not_above():
    budget = GrpcBudget(10, 0.1)
    assert after(budget, *[Credit.WITHDRAW] * 4).take(0.0)
    assert not after(budget, Credit.WITHDRAW).take(0.0)
    assert budget.tokens == 5


def test_ten_successes_make_up_for_a_failure():
    budget = after(GrpcBudget(10, 0.1), *[Credit.WITHDRAW] * 5, *[Credit.DEPOSIT] * 10)
    assert budget.tokens == pytest.approx(6)
    assert budget.take(0.0)


def test_a_retry_itself_costs_nothing():
    budget = GrpcBudget(10, 0.1)
    assert all(budget.take(0.0) for _ in range(100))


@pytest.mark.parametrize(("max_tokens", "retries"), [(10, 2), (4, 1), (1, 0), (100, 25)])
def test_when_everything_fails_retries_stop_for_good_after_half_of_the_tokens(max_tokens, retries):
    budget = GrpcBudget(max_tokens, 0.1)
    made = 0
    for _ in range(1000):
        budget.open(0.0).learn(Credit.WITHDRAW)
        if budget.take(0.0):
            made += 1
            budget.learn(Credit.WITHDRAW)
    assert made == retries, "a call that is retried in vain loses two tokens"
    assert budget.tokens == 0


class Tokens(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.budget = GrpcBudget(10, 0.3)
        self.expected = 10.0

    @rule(credit=st.sampled_from(Credit))
    def attempt_ends(self, credit):
        self.budget.learn(credit)
        change = {Credit.DEPOSIT: 0.3, Credit.WITHDRAW: -1.0, Credit.NOTHING: 0.0}[credit]
        self.expected = min(10.0, max(0.0, self.expected + change))

    @rule()
    def ask(self):
        assert self.budget.take(0.0) is (self.expected > 5)

    @invariant()
    def tokens_stay_within_their_bounds(self):
        assert 0 <= self.budget.tokens <= 10
        assert self.budget.tokens == self.expected


TestTokens = Tokens.TestCase
TestTokens.settings = settings(max_examples=60, stateful_step_count=30, derandomize=True, deadline=None)
