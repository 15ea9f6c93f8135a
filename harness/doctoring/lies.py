"""Histories that do not tell what happened. A judge that calls one of them contained believes anything.

Each lie is a function of a pair that was contained, told so that the rest of the history still fits.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from msgspec.structs import replace

from harness.judging.history import (
    AnyRecord,
    Arrived,
    Ended,
    FaultChanged,
    History,
    PhaseStarted,
    Setup,
    Visit,
)
from harness.judging.windows import finish

LATE_S, EVERY = 0.06, 10  # every tenth request leaves so late: too little to be felt as a latency
BYSTANDER = "local_api"

Pair = tuple[History, History]  # with the fault, and its control


@dataclass(frozen=True, slots=True)
class Material:
    """What lies are made of: a contained pair, and the same fault where it spread."""

    fault: History
    control: History
    spread: History


def lost_ending(of: Material) -> Pair:
    """One request that began never ends."""
    ends = [record for record in of.fault.records if isinstance(record, Ended)]
    return _without(of.fault, {id(ends[len(ends) // 2])}), of.control


def missing_bystander(of: Material) -> Pair:
    """From the fault on nothing is heard of one caller."""
    since_s = _phase_s(of.fault, "fault")
    mute = {
        record.request
        for record in of.fault.of(Arrived)
        if record.caller == BYSTANDER and record.intended_s >= since_s
    }
    gone = {
        id(record)
        for record in of.fault.records
        if isinstance(record, Arrived | Ended | Visit) and record.request in mute
    }
    return _without(of.fault, gone), of.control


def late_generator(of: Material) -> Pair:
    """Many requests should have left earlier than they did, in both arms."""
    return _late(of.fault), _late(of.control)


def unsteady_control(of: Material) -> Pair:
    """The control is slow for a while, without saying so."""
    calm = of.control.setup
    records: list[AnyRecord] = [calm]
    records += [record for record in of.spread.records[1:] if not isinstance(record, FaultChanged)]
    return of.fault, History(records)


def harmless_fault(of: Material) -> Pair:
    """The fault was ordered and did nothing."""
    changes: Iterator[AnyRecord] = iter(of.fault.of(FaultChanged))
    timed = [*of.control.records[1:], *changes]
    timed.sort(key=_at_s)
    return History([of.fault.setup, *timed]), of.control


def left_behind(of: Material) -> Pair:
    """The run does not know whether everything of ours is gone."""
    last = finish(of.fault)
    return History([*of.fault.records[:-1], replace(last, clean=False)]), of.control


def other_requests(of: Material) -> Pair:
    """The control is of another seed."""
    return of.fault, History([_with_seed(of.control.setup), *of.control.records[1:]])


def faulted_control(of: Material) -> Pair:
    """The control has the fault as well."""
    return of.fault, of.fault


LIES: Mapping[str, Callable[[Material], Pair]] = {
    "an ending is lost": lost_ending,
    "a bystander goes missing": missing_bystander,
    "the generator is late": late_generator,
    "the control is unsteady": unsteady_control,
    "the fault does nothing": harmless_fault,
    "clean-up is in doubt": left_behind,
    "the control asks other requests": other_requests,
    "the control has the fault": faulted_control,
}


def _late(history: History) -> History:
    """Latency counts from when a request should have left. The same ones in either arm, which ask alike."""
    arrivals = count()

    def told(record: AnyRecord) -> AnyRecord:
        if not isinstance(record, Arrived) or next(arrivals) % EVERY:
            return record
        return replace(record, intended_s=max(0.0, record.intended_s - LATE_S))

    return History(told(record) for record in history.records)


def _without(history: History, gone: set[int]) -> History:
    return History(record for record in history.records if id(record) not in gone)


def _with_seed(setup: Setup) -> Setup:
    return replace(setup, seed=setup.seed + 1)


def _phase_s(history: History, name: str) -> float:
    return next(record.at_s for record in history.of(PhaseStarted) if record.phase == name)


def _at_s(record: AnyRecord) -> float:
    return 0.0 if isinstance(record, Setup) else record.at_s
