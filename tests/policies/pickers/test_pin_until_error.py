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
    chosen = picker.pick(Call(id="c", caller=caller, seed=caller, **call), candidates)
    return chosen and chosen.worker


def end(picker, worker, outcome, caller="a"):
    attempt = Attempt(call=Call(id="c", caller=caller), worker=worker, number=1, started_s=0.0)
    picker.attempt_ended(attempt, outcome, 1.0)


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
def test_a_caller_stays_with_its_worker_whatever_is_no_failure(ending):
    picker = PinUntilError()
    first = pick(picker)
    for _ in range(10):
        end(picker, first, ending)
        assert pick(picker) == first


def test_a_failure_moves_the_caller_to_the_next_worker_and_so_all_the_way_round():
    picker = PinUntilError()
    first, seen = pick(picker), []
    for _ in ALL:
        end(picker, pick(picker), ERROR)
        seen.append(pick(picker))
    assert seen == [after(first, n) for n in (1, 2, 3, 4)]


def test_failures_at_a_worker_that_the_caller_has_left_move_it_no_further():
    picker = PinUntilError()
    first = pick(picker)
    for _ in range(3):
        end(picker, first, ERROR)
    assert pick(picker) == after(first)
    end(picker, first, ERROR)
    assert pick(picker) == after(first)


def test_callers_are_spread_and_a_failure_moves_no_other_caller():
    picker = PinUntilError()
    pins = {f"caller {n}": pick(picker, f"caller {n}") for n in range(400)}
    assert min(Counter(pins.values()).values()) > 70
    end(picker, pins["caller 0"], ERROR, "caller 0")
    assert pick(picker, "caller 0") == after(pins["caller 0"])
    assert all(pick(picker, caller) == worker for caller, worker in list(pins.items())[1:])


def test_a_worker_that_is_shut_is_left_for_the_next_open_one():
    picker = PinUntilError()
    first = pick(picker)
    others = [worker for worker in ALL if worker not in (first, after(first))]
    assert pick(picker, open_workers=others) == after(first, 2)
    assert pick(picker, open_workers=()) is None


def test_a_call_bound_to_others_goes_to_none_but_those():
    picker = PinUntilError()
    first = pick(picker)
    allowed = frozenset({after(first, 2)})
    candidates = Candidates(tuple(allowed), lambda worker: Candidate(worker, 1.0, 0))
    assert picker.pick(Call(id="c", caller="a", workers=allowed), candidates).worker == after(first, 2)


def test_no_more_callers_are_remembered_than_the_latest():
    picker = PinUntilError()
    for number in range(MOST_CALLERS + 50):
        pick(picker, f"caller {number}")
    assert len(picker._pins) == MOST_CALLERS
