"""Counts of calls by when they started."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from policies.call_window import BUCKETS, CallWindow
from policies.evidence import Answer


def counts(window):
    return window.started, window.judged, window.accepted


def test_a_call_counts_from_its_start_and_is_judged_at_its_end():
    window = CallWindow(20.0)
    ticket = window.start(0.0)
    assert counts(window) == (1, 0, 0)
    window.end(ticket, Answer.ACCEPT, 5.0)
    assert counts(window) == (1, 1, 1)


def test_call_and_ending_are_forgotten_together():
    window = CallWindow(20.0)
    ticket = window.start(0.5)
    window.end(ticket, Answer.ACCEPT, 15.0)
    window.move_to(19.9)
    assert counts(window) == (1, 1, 1)
    window.move_to(20.0)
    assert counts(window) == (0, 0, 0)


def test_a_call_that_outlives_the_window_is_counted_where_it_ends():
    window = CallWindow(10.0)
    ticket = window.start(0.0)
    window.end(ticket, Answer.ACCEPT, 0.0)
    long = window.start(0.0)
    window.end(long, Answer.REJECT, 60.0)
    window.move_to(60.0)
    assert counts(window) == (1, 1, 0)


def test_a_call_whose_caller_left_is_as_if_it_had_not_been():
    window = CallWindow(10.0)
    window.end(window.start(0.0), Answer.ACCEPT, 1.0)
    for overdue in (False, True):
        ticket = window.start(1.0)
        if overdue:
            window.overdue(ticket)
        window.end(ticket, Answer.NOTHING, 2.0)
        assert counts(window) == (1, 1, 1)


def test_an_overdue_call_is_judged_once():
    window = CallWindow(10.0)
    ticket = window.start(0.0)
    window.overdue(ticket)
    window.overdue(ticket)
    assert counts(window) == (1, 1, 0)
    window.end(ticket, Answer.REJECT, 2.0)
    assert counts(window) == (1, 1, 0)


def test_memory_does_not_grow_with_the_calls():
    window = CallWindow(10.0)
    for number in range(5000):
        window.end(window.start(number * 0.01), Answer.ACCEPT, number * 0.01)
    assert len(window._buckets) <= BUCKETS


class AnyOrder(RuleBasedStateMachine):
    """Beside the window a plain list of calls: when each is dated, whether judged, whether accepted."""

    def __init__(self):
        super().__init__()
        self.now = 0.0
        self.window = CallWindow(20.0)
        self.out = []
        self.calls = []

    @rule(seconds=st.sampled_from([0.0, 0.4, 1.0, 7.0, 30.0]))
    def pass_time(self, seconds):
        self.now += seconds
        self.window.move_to(self.now)

    @rule()
    def start(self):
        call = {"at": self.now, "judged": False, "accepted": False}
        self.calls.append(call)
        self.out.append((self.window.start(self.now), call))

    @precondition(lambda self: self.out)
    @rule(which=st.integers(0, 1000))
    def overdue(self, which):
        ticket, call = self.out[which % len(self.out)]
        self.window.overdue(ticket)
        call["judged"] = True

    @precondition(lambda self: self.out)
    @rule(which=st.integers(0, 1000), answer=st.sampled_from(Answer))
    def end(self, which, answer):
        ticket, call = self.out.pop(which % len(self.out))
        self.window.end(ticket, answer, self.now)
        if answer is Answer.NOTHING:
            self.calls = [other for other in self.calls if other is not call]
            return
        call["judged"], call["accepted"] = True, answer is Answer.ACCEPT
        if not self._counts(call):
            call["at"] = self.now

    @invariant()
    def counts_are_those_of_the_list_and_never_negative(self):
        recent = [call for call in self.calls if self._counts(call)]
        judged = sum(call["judged"] for call in recent)
        accepted = sum(call["accepted"] for call in recent)
        assert counts(self.window) == (len(recent), judged, accepted)
        assert 0 <= accepted <= judged <= len(recent)

    def _counts(self, call):
        return int(call["at"]) > int(self.now) - BUCKETS


AnyOrder.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, derandomize=True
)
TestAnyOrder = AnyOrder.TestCase


@pytest.mark.parametrize("span_s", [5e-324, 1e-308, 1e-9])
def test_a_span_too_short_to_divide_is_that_of_one_moment(span_s):
    window = CallWindow(span_s)
    window.end(window.start(1.0), Answer.ACCEPT, 1.0)
    assert counts(window) == (1, 1, 1)
    window.start(1e6)
    assert counts(window) == (1, 0, 0)
