"""Whether the fault bit: what it was asked to do, beside what its own site measured.

A fault without effect makes a run inconclusive, not green. One that was asked to do nothing has no effect.
"""

from collections.abc import Sequence
from math import inf

from harness.judging.effects import MEASURES
from harness.judging.effects.measure import Measure
from harness.judging.history import FaultSetup, History
from harness.judging.result import Bite
from harness.judging.windows import Timeline

AS_ASKED_RATIO = 0.1  # measured within this of what was asked
LEAST_RATIO = 0.5  # below this share of the effect that was asked for it did not bite


def measure_bite(history: History, timeline: Timeline) -> Bite | None:
    """None for a run without a fault."""
    fault = history.setup.fault
    if fault is None:
        return None
    bite = _least([_compare(history, fault, worker, timeline) for worker in fault.workers])
    if timeline.installed:
        return bite
    words = f"{fault.kind} was never installed, or its site did not confirm it"
    return bite.model_copy(update={"bit": False, "as_asked": False, "words": words})


def _least(bites: Sequence[Bite]) -> Bite:
    """The fault that was asked for is the one at every worker: the one that was bitten least decides."""
    least = min(bites, key=lambda bite: -inf if bite.measured is None else bite.measured)
    if len(bites) == 1:
        return least
    return least.model_copy(update={"words": f"{least.words} (the least of {len(bites)} workers)"})


def _compare(history: History, fault: FaultSetup, worker: str, timeline: Timeline) -> Bite:
    measure = MEASURES.get(fault.quantity)
    if measure is None:
        found = Measure(None, f"no measurement is known that would show whether {fault.kind!r} bit")
    else:
        found = measure(history, worker, timeline)
    asked, measured = fault.asked, found.measured
    neutral = 1.0 if fault.unit == "x" else 0.0  # what "no effect" measures
    idle = asked <= neutral
    return Bite(
        kind=fault.kind,
        worker=worker,
        quantity=fault.quantity,
        unit=fault.unit,
        asked=asked,
        measured=measured,
        bit=not idle and measured is not None and measured - neutral >= LEAST_RATIO * (asked - neutral),
        as_asked=measured is not None and abs(measured - asked) <= AS_ASKED_RATIO * asked,
        words=found.words or _words(fault, worker, measured, idle=idle),
    )


def _words(fault: FaultSetup, worker: str, measured: float | None, *, idle: bool) -> str:
    seen = "not measured: no sample" if measured is None else f"{_amount(measured, fault.unit)} measured"
    wanted = f"{_amount(fault.asked, fault.unit)} asked" + (", which is no fault at all" if idle else "")
    return f"{fault.quantity} of {worker}: {wanted}, {seen}"


def _amount(value: float, unit: str) -> str:
    return f"x{value:.3g}" if unit == "x" else f"{value:.3g} {unit}".rstrip()
