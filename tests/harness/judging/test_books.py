"""A history that was tampered with: the gauges of the hops counted otherwise."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from harness.judging.books import check_books
from harness.judging.history import (
    AnyRecord,
    Attempted,
    Finished,
    Gauge,
    History,
    Hop,
    PhaseStarted,
    Setup,
    Visit,
)
from harness.judging.pressure import traffic
from harness.judging.verdict import judge
from tests.harness.judging.synthetic import simulate

Change = Callable[[AnyRecord, int], AnyRecord | None]


def doctored(change: Change, **plan: object) -> History:
    """`change` is given every record with its number, and returns what is left of it."""
    records = simulate(fault_s=8.0, recovery_s=1.0, **plan).records
    changed = [change(record, number) for number, record in enumerate(records)]
    return History(record for record in changed if record is not None)


def half_of_the_visits(record: AnyRecord, number: int) -> AnyRecord | None:
    return None if isinstance(record, Visit) and record.hop == "api" and number % 2 else record


def slots_came_late(record: AnyRecord, _number: int) -> AnyRecord:
    if isinstance(record, Visit) and record.hop == "front" and record.granted_s is not None:
        return replace(record, granted_s=max(record.granted_s, record.at_s - 0.001))
    return record


def slots_came_at_once(record: AnyRecord, _number: int) -> AnyRecord:
    return replace(record, granted_s=record.arrived_s) if isinstance(record, Visit) else record


def nobody_in_the_gateway(record: AnyRecord, _number: int) -> AnyRecord | None:
    return None if isinstance(record, Visit) and record.hop == "gateway" else record


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (half_of_the_visits, r"at the slots of api \d+ are on record at .* s, but in_use was \d+"),
        (slots_came_late, r"at the slots of front 0 are on record at .* s, but in_use was \d+"),
        (slots_came_at_once, "at front more than its 8 slots are held at "),
        (nobody_in_the_gateway, "at gateway 0 are on record at .* s, but in_flight was "),
    ],
)
def test_visits_that_the_hops_own_gauges_did_not_count_are_refused(change, complaint):
    with pytest.raises(ValueError, match=f"the history does not add up: {complaint}"):
        judge(doctored(change, slots=(("front", 8), ("api", 24), ("gateway", None))))


def test_one_attempt_that_is_missing_is_refused():
    longest = max(
        (r for r in simulate(fault_s=8.0, recovery_s=1.0).records if isinstance(r, Attempted)),
        key=lambda attempt: attempt.at_s - attempt.started_s,
    )
    with pytest.raises(ValueError, match=rf"at {longest.worker} \d+ are on record at .* s, but pending\."):
        judge(doctored(lambda record, _number: None if record == longest else record))


def test_a_gauge_that_counted_another_number_is_refused():
    def one_more(record: AnyRecord, _number: int) -> AnyRecord:
        if isinstance(record, Gauge) and "waiting" in record.values and "in_use" in record.values:
            return replace(record, values=record.values | {"waiting": record.values["waiting"] + 1})
        return record

    with pytest.raises(ValueError, match=r"in the line of front 0 are on record at .* s, but waiting was 1"):
        judge(doctored(one_more))


def history(engine: str, *records: AnyRecord) -> History:
    """One service with one slot."""
    setup = Setup(
        scenario="x", preset="none", seed=1, version="0", hops=[Hop(name="api", slots=1)],
        workers=[], callers=[], engine=engine,
    )  # fmt: skip
    phases = [PhaseStarted(at_s=0.0, phase="baseline"), PhaseStarted(at_s=0.0, phase="fault")]
    return History([setup, *phases, *records, Finished(at_s=10.0, clean=True)])


def visit(arrived_s: float, granted_s: float | None, at_s: float) -> Visit:
    return Visit(at_s=at_s, hop="api", request="r", arrived_s=arrived_s, granted_s=granted_s, kind="ok")


def look(at_s: float, in_use: int, waiting: int) -> Gauge:
    return Gauge(at_s=at_s, place="api", values={"in_use": in_use, "waiting": waiting})


HANDED_OVER = (visit(0.0, 0.0, 1.0), look(1.001, 1, 0), visit(0.5, 1.002, 2.0))
GAVE_UP = (visit(0.0, 0.0, 1.0), look(1.001, 0, 0), visit(0.5, None, 1.002))


@pytest.mark.parametrize("records", [HANDED_OVER, GAVE_UP])
def test_in_a_real_run_a_sample_may_come_before_a_waiter_is_awake(records):
    real = history("torch", *records, look(1.25, records is HANDED_OVER, 0))
    check_books(real, traffic(real))
    virtual = history("cost model", *records)
    with pytest.raises(ValueError, match="the history does not add up"):
        check_books(virtual, traffic(virtual))


@pytest.mark.parametrize("records", [HANDED_OVER, GAVE_UP])
def test_by_the_next_sample_it_is_awake(records):
    first, early, late = records
    late = replace(late, at_s=3.0, granted_s=late.granted_s and 2.5)
    real = history("torch", first, early, look(1.25, early.values["in_use"], 0), late)
    with pytest.raises(ValueError, match="the history does not add up"):
        check_books(real, traffic(real))


def test_who_comes_in_the_very_instant_of_a_sample_may_be_on_either_side_of_it():
    for in_use in (0, 1):
        tied = history("cost model", look(1.0, in_use, 0), visit(1.0, 1.0, 2.0), look(2.0, in_use, 0))
        check_books(tied, traffic(tied))
