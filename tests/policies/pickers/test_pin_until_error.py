"""Callers that stay where they are."""

from collections import Counter

import pytest

from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.outcome import OK, Kind, Outcome
from policies.pickers.pin_until_error import MOST_CALLERS, PinUntilError

ALL = ("w0", "w1", "w2", "w3")
ERROR = Outcome(kind=Kind.ERROR, status=500)


def pick(picker, caller="a", open_workers=ALL, **call):
    candidates = Candidates(ALL, lambda w: Candidate(w, 1.0, 0) if w in open_workers else None)
    chosen = picker.pick(Call(id="c", caller=caller, **call), candidates)
    return chosen and chosen.worker


def attempt(picker, outcome=OK, caller="a"):
    """Where a call goes that ends so."""
    sent = Attempt(call=Call(id="c", caller=caller), worker=pick(picker, caller), number=1, started_s=0.0)
    picker.attempt_started(sent)
    picker.attempt_ended(sent, outcome, 1.0)
    return sent.worker


def after(worker, places=1):
    return ALL[(ALL.index(worker) + places) % len(ALL)]


@pytest.mark.parametrize(
    "ending",
    [
        OK,
        Outcome(kind=Kind.SLOW),
        Outcome(kind=Kind.OVERLOAD, status=503),
        Outcome(kind=Kind.ERROR, status=404),
        Outcome(kind=Kind.ABANDONED),
    ],
    ids=lambda outcome: outcome.kind,
)
def test_a_caller_with_one_connection_stays_with_its_worker_whatever_is_no_failure(ending):
    picker = PinUntilError(connections=1)
    assert {attempt(picker, ending) for _ in range(10)} == {"w0"}


def test_a_failure_moves_it_to_the_next_worker_and_so_all_the_way_round():
    picker = PinUntilError(connections=1)
    assert [attempt(picker, ERROR) for _ in range(5)] == ["w0", "w1", "w2", "w3", "w0"]


def test_several_attempts_that_fail_together_move_it_once():
    picker = PinUntilError(connections=1)
    together = []
    for _ in range(3):
        sent = Attempt(call=Call(id="c", caller="a"), worker=pick(picker), number=1, started_s=0.0)
        picker.attempt_started(sent)
        together.append(sent)
    for sent in together[:2]:
        picker.attempt_ended(sent, ERROR, 1.0)
    assert pick(picker) == "w1"
    picker.attempt_ended(together[2], ERROR, 2.0)
    assert pick(picker) == "w1", "the last to fail did so at a worker that was left already"


def test_callers_with_one_connection_are_spread_and_a_failure_moves_no_other_caller():
    picker = PinUntilError(connections=1)
    pins = {f"caller {n}": attempt(picker, caller=f"caller {n}") for n in range(40)}
    assert set(Counter(pins.values()).values()) == {10}
    attempt(picker, ERROR, "caller 0")
    assert pick(picker, "caller 0") == after(pins["caller 0"])
    assert all(pick(picker, caller) == worker for caller, worker in list(pins.items())[1:])


def test_the_connections_of_a_caller_take_turns_and_only_those_that_failed_move():
    picker = PinUntilError()
    assert [attempt(picker) for _ in range(8)] == [*ALL, *ALL]
    for _ in range(8):
        worker = pick(picker)
        sent = Attempt(call=Call(id="c", caller="a"), worker=worker, number=1, started_s=0.0)
        picker.attempt_started(sent)
        picker.attempt_ended(sent, ERROR if worker == "w0" else OK, 1.0)
    assert Counter(attempt(picker) for _ in range(80)) == {"w1": 40, "w2": 20, "w3": 20}, (
        "and none comes back"
    )


def test_a_worker_that_is_shut_is_left_for_the_next_open_one():
    picker = PinUntilError(connections=1)
    assert pick(picker) == "w0"
    assert pick(picker, open_workers=("w2", "w3")) == "w2"
    assert pick(picker) == "w2"
    assert pick(picker, open_workers=()) is None


def test_a_call_bound_to_others_goes_to_none_but_those():
    picker = PinUntilError(connections=1)
    assert pick(picker) == "w0"
    bound = Candidates(("w2",), lambda worker: Candidate(worker, 1.0, 0))
    assert picker.pick(Call(id="c", caller="a", workers=frozenset({"w2"})), bound).worker == "w2"


def test_no_more_callers_are_remembered_than_the_latest():
    picker = PinUntilError()
    for number in range(MOST_CALLERS + 50):
        attempt(picker, caller=f"caller {number}")
    assert len(picker._state.callers) == MOST_CALLERS
    assert not picker._state.under_way


@pytest.mark.parametrize("value", [0, -1, 1.5, True])
def test_a_number_of_connections_out_of_range_is_refused(value):
    with pytest.raises(ValueError, match=r"^pin_until_error: connections must be a whole number at least 1"):
        PinUntilError(connections=value)
