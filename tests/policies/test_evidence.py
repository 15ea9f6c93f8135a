"""Which ending says what about the worker: every cell of the table."""

import pytest

from policies.evidence import Evidence, Sample, Signal, lesson
from policies.outcome import Kind, Outcome


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome(kind=Kind.OK, status=200), Evidence.SUCCESS),
        (Outcome(kind=Kind.SLOW, status=200), Evidence.SLOW),
        # envoyproxy/envoy#41985 and #22395: our own expired timers are evidence against the worker
        (Outcome(kind=Kind.TIMEOUT, phase="connect"), Evidence.FAILURE),
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), Evidence.FAILURE),
        (Outcome(kind=Kind.TIMEOUT, phase="between_tokens"), Evidence.FAILURE),
        (Outcome(kind=Kind.TIMEOUT, phase="attempt"), Evidence.FAILURE),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), Evidence.NOTHING),
        (Outcome(kind=Kind.ERROR), Evidence.FAILURE),
        (Outcome(kind=Kind.ERROR, status=500), Evidence.FAILURE),
        (Outcome(kind=Kind.ERROR, status=599), Evidence.FAILURE),
        # sglang#25811: a bad request is the caller's fault and shows that the worker lives
        (Outcome(kind=Kind.ERROR, status=400), Evidence.SUCCESS),
        (Outcome(kind=Kind.ERROR, status=499), Evidence.SUCCESS),
        # sglang#39464: busy is not broken
        (Outcome(kind=Kind.OVERLOAD, status=429), Evidence.NOTHING),
        (Outcome(kind=Kind.OVERLOAD, status=503), Evidence.NOTHING),
        (Outcome(kind=Kind.REJECTED, status=503), Evidence.NOTHING),
        (Outcome(kind=Kind.ABANDONED), Evidence.NOTHING),
    ],
)
def test_each_ending_teaches_what_the_table_says(outcome, expected):
    assert lesson(outcome).worker is expected


def test_every_kind_of_ending_has_a_row():
    for kind in Kind:
        lesson(Outcome(kind=kind))


def test_only_whole_answers_count_as_answered():
    answered = {kind for kind in Kind if Outcome(kind=kind).answered}
    assert answered == {Kind.OK, Kind.SLOW}


def test_a_deadline_is_the_workers_fault_and_a_departure_a_lower_bound_only_if_overdue():
    deadline = Outcome(kind=Kind.TIMEOUT, phase="total")
    assert lesson(deadline, overdue=True)[:3] == (Evidence.FAILURE, Sample.AT_LEAST, Signal.DROP)
    assert lesson(deadline)[:3] == (Evidence.NOTHING, Sample.AT_LEAST, Signal.NOTHING)
    left = Outcome(kind=Kind.ABANDONED)
    assert lesson(left, overdue=True)[:3] == (Evidence.NOTHING, Sample.AT_LEAST, Signal.NOTHING)
    assert lesson(left)[:3] == (Evidence.NOTHING, Sample.NOTHING, Signal.NOTHING)
