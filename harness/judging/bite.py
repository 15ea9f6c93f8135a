"""Whether the fault bit: what it was asked to do, beside what its own site measured, and whom it touched.

A fault without effect makes a run inconclusive, not green, and so does one that no request met. One that was
asked to do nothing has no effect. What changes its strength is measured while it is strongest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import fmean, median

from harness.judging.effects import MEASURES
from harness.judging.effects.measure import Measure, Measuring
from harness.judging.figures import amount
from harness.judging.history import Attempted, FaultSetup, History
from harness.judging.levels import Peak, peak
from harness.judging.result import Bite
from harness.judging.windows import Timeline, Window

AS_ASKED_RATIO = 0.1  # measured within this of what was asked
LEAST_ASKED = (
    1e-4  # in any unit; 0.1 ms, a share of 0.01 %: no clock and no count of a run tells it from nothing
)
LEAST_RATIO = 0.5  # below this share of the effect that was asked for it did not bite
STEP_TIME = "step time"  # the quantity by which a slow engine is known, whatever made it slow


def measure_bite(history: History, timeline: Timeline) -> Bite | None:
    """None for a run without a fault."""
    fault = history.setup.fault
    if fault is None:
        return None
    strongest = peak(timeline.levels)
    bite = _least([_compare(history, fault, worker, timeline, strongest) for worker in fault.workers])
    on = [each.window for each in timeline.levels if each.level > 0] if fault.heals else [timeline.fault]
    on = [
        Window(timeline.phases["fault"].start_s, timeline.fault.start_s),
        *on,
    ]  # while it was being installed
    touched, held_s = _touched(history, fault.workers, on), _held_s(history, fault.workers, strongest)
    bite = bite.model_copy(update={"touched": touched, "held_s": held_s})
    if timeline.installed:
        return bite
    words = f"{fault.kind} was never installed, or its site did not confirm it"
    return bite.model_copy(update={"bit": False, "as_asked": False, "words": words})


@dataclass(frozen=True, slots=True)
class _Seen:
    """`neutral`: what would be measured of no fault at all."""

    asked: float
    measured: float | None
    neutral: float
    words: str = ""
    chance: float = 0.0

    @property
    def idle(self) -> bool:
        """Nothing was asked of it, or so little that nobody could tell."""
        return self.asked == self.neutral or abs(self.asked - self.neutral) < LEAST_ASKED

    @property
    def share(self) -> float:
        """Of the effect that was asked for; minus infinity if nobody could tell."""
        if self.measured is None or self.idle:
            return -inf
        luck = self.chance if self.measured > self.neutral else 0.0
        return (self.measured + luck - self.neutral) / (self.asked - self.neutral)

    @property
    def as_asked(self) -> bool:
        within = max(AS_ASKED_RATIO * self.asked, self.chance)
        return self.measured is not None and abs(self.measured - self.asked) <= within


def _touched(history: History, workers: Sequence[str], on: Sequence[Window]) -> int:
    """How many attempts were at a faulted worker while anything of the fault was there."""
    attempts = (attempt for worker in workers for attempt in history.attempts(worker))
    return sum(any(a.started_s < each.end_s and a.at_s >= each.start_s for each in on) for a in attempts)


def _held_s(history: History, workers: Sequence[str], strongest: Peak) -> float | None:
    """Of attempts early enough for the healing not to cut them short: mean time at a faulted worker."""
    attempts = [attempt for worker in workers for attempt in history.attempts(worker)]
    held = [_whole(attempts, window) for window in strongest.windows]
    whole = [attempt.at_s - attempt.started_s for each in held for attempt in each]
    return fmean(whole) if whole else None


def _whole(attempts: Sequence[Attempted], window: Window) -> list[Attempted]:
    """Those that began in the window, its end left out by as much as the longest that ended in it took."""
    begun = [each for each in attempts if window.holds(each.started_s)]
    longest_s = max((a.at_s - a.started_s for a in begun if window.holds(a.at_s)), default=0.0)
    return [each for each in begun if each.started_s < window.end_s - longest_s]


def _least(bites: Sequence[tuple[_Seen, Bite]]) -> Bite:
    """The fault that was asked for is the one at every worker: the one that was bitten least decides."""
    _, least = min(bites, key=lambda bite: bite[0].share)
    if len(bites) == 1:
        return least
    return least.model_copy(update={"words": f"{least.words} (the least of {len(bites)} workers)"})


def _compare(
    history: History, fault: FaultSetup, worker: str, timeline: Timeline, strongest: Peak
) -> tuple[_Seen, Bite]:
    seen = _look(history, fault, worker, timeline, strongest)
    asked, measured = seen.asked, seen.measured
    return seen, Bite(
        kind=fault.kind,
        worker=worker,
        quantity=fault.quantity,
        unit=fault.unit,
        less=fault.less,
        asked=asked,
        measured=measured,
        bit=seen.share >= LEAST_RATIO,
        as_asked=seen.as_asked,
        slow_factor=_across(MEASURES[STEP_TIME], history, worker, timeline, strongest).measured,
        words=seen.words or _words(history, fault, worker, seen, strongest),
    )


def _look(history: History, fault: FaultSetup, worker: str, timeline: Timeline, strongest: Peak) -> _Seen:
    asked = fault.asked if strongest.asked is None else strongest.asked
    neutral = 1.0 if fault.unit == "x" else 0.0
    measure = MEASURES.get(fault.quantity)
    if measure is None:
        return _Seen(
            asked, None, neutral, f"no measurement is known that would show whether {fault.kind!r} bit"
        )
    found = _across(measure, history, worker, timeline, strongest)
    if not fault.less:
        return _Seen(asked, found.measured, neutral, found.words, found.chance)
    before = measure(history, worker, replace(timeline, fault=timeline.before())).measured
    if before is None:
        return _Seen(asked, None, inf, f"{fault.quantity} of {worker} was not seen before the fault")
    return _Seen(asked, found.measured, max(before, asked), found.words)


def _across(
    measure: Measuring, history: History, worker: str, timeline: Timeline, strongest: Peak
) -> Measure:
    """Of several stretches the median of those that could be measured."""
    found = [measure(history, worker, replace(timeline, fault=each)) for each in strongest.windows]
    measured = [each.measured for each in found if each.measured is not None]
    words = next((each.words for each in found if each.words), "")
    chance = max((each.chance for each in found), default=0.0)
    return Measure(median(measured) if measured else None, words, chance)


def _words(history: History, fault: FaultSetup, worker: str, seen: _Seen, strongest: Peak) -> str:
    measured = seen.measured
    if measured is None:
        what = f"not measured: {_why_not(history, worker, strongest)}"
    else:
        what = f"{_amount(measured, fault.unit)} measured"
        what += f" {strongest.words}" if strongest.words else ""
    before = f", {_amount(seen.neutral, fault.unit)} before" if fault.less and seen.neutral < inf else ""
    wanted = f"{_amount(seen.asked, fault.unit)} asked" + (", which is no fault at all" if seen.idle else "")
    return f"{fault.quantity} of {worker}: {wanted}, {what}{before}"


def _why_not(history: History, worker: str, strongest: Peak) -> str:
    """Why nothing was measured, where attempts may have met the fault while it was weaker or as it came."""
    if not strongest.windows:
        return strongest.words
    length_s = sum(each.length_s for each in strongest.windows)
    there = _touched(history, (worker,), strongest.windows)
    words = "attempt was" if there <= 1 else "attempts were"
    return f"no sample in the {length_s:.3g} s at its strongest, when {there or 'no'} {words} there"


def _amount(value: float, unit: str) -> str:
    return f"x{amount(value)}" if unit == "x" else f"{amount(value)} {unit}".rstrip()
