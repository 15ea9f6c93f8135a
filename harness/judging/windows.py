"""Which stretches of a run are compared: before, during and after the fault."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.history import FaultChanged, Finished, History, PhaseStarted
from harness.judging.percentiles import Floats

GUARD_S = 2.0  # left out after the fault begins when no law says how long pressure travels


@dataclass(frozen=True, slots=True)
class Window:
    """From `start_s` up to but without `end_s`."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s

    def holds(self, time_s: float) -> bool:
        return self.start_s <= time_s < self.end_s

    def select(self, times: Floats) -> slice:
        """The part of the sorted `times` inside."""
        first, last = times.searchsorted([self.start_s, self.end_s])
        return slice(int(first), int(last))


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the fault's time in which its strength stayed the same. `asked` of its quantity then."""

    window: Window
    level: float
    asked: float | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Phases by name, and when the fault really came and went (without one: the phase of that name)."""

    phases: dict[str, Window]
    fault: Window
    installed: bool
    removed: bool
    levels: tuple[Stretch, ...] = ()

    @property
    def strongest_for_s(self) -> float:
        """How long in all the fault was as strong as it ever was."""
        most = max((each.level for each in self.levels), default=0.0)
        if not most:
            return self.fault.length_s
        return sum(each.window.length_s for each in self.levels if each.level == most)

    def before(self) -> Window:
        """The baseline, less its end: what is in flight when the fault begins belongs to neither side."""
        phase = self.phases["baseline"]
        end_s = min(phase.end_s, self.fault.start_s)
        return Window(phase.start_s, end_s - min(1.0, 0.1 * (end_s - phase.start_s)))

    def during(self, travel_s: float | None) -> Window:
        """The fault, less the time that pressure needs to travel, but at least three quarters of it."""
        guard_s = min(GUARD_S if travel_s is None else travel_s, 0.25 * self.fault.length_s)
        return Window(self.fault.start_s + guard_s, self.fault.end_s)

    def after(self) -> Window | None:
        """The second half of the recovery: the first half is for draining what the fault left behind."""
        phase = self.phases.get("recovery")
        if phase is None or phase.length_s <= 0:
            return None
        return Window(phase.start_s + 0.5 * phase.length_s, phase.end_s)


def timeline(history: History) -> Timeline:
    """ValueError, saying what is missing, for a history that ends before its run did."""
    phases = _phases(history)
    missing = [name for name in ("baseline", "fault") if name not in phases or phases[name].length_s <= 0]
    if missing:
        raise ValueError(f"the history cannot be judged: it has no {' and no '.join(missing)} phase")
    changes = list(history.of(FaultChanged))
    started = next((change.at_s for change in changes if change.active and change.verified), None)
    start_s = phases["fault"].start_s if started is None else started
    ended = next((c.at_s for c in changes if not c.active and c.verified and c.at_s >= start_s), None)
    end_s = min(ended, phases["fault"].end_s) if ended is not None else phases["fault"].end_s
    fault = Window(start_s, end_s)
    return Timeline(phases, fault, started is not None, ended is not None, _levels(changes, fault))


def _levels(changes: Sequence[FaultChanged], fault: Window) -> tuple[Stretch, ...]:
    """Stretches of no length are left out."""
    on = [change for change in changes if change.active and change.verified]
    ends = [*(change.at_s for change in on[1:]), fault.end_s]
    cut = [(Window(c.at_s, min(end, fault.end_s)), c) for c, end in zip(on, ends, strict=False)]
    return tuple(Stretch(window, c.level, c.asked) for window, c in cut if window.length_s > 0)


def _phases(history: History) -> dict[str, Window]:
    marks = list(history.of(PhaseStarted))
    end_s = finish(history).at_s
    ends = [mark.at_s for mark in marks[1:]] + [end_s]
    return {mark.phase: Window(mark.at_s, end) for mark, end in zip(marks, ends, strict=True)}


def finish(history: History) -> Finished:
    """The last record. ValueError if the history breaks off before it."""
    last = history.records[-1] if history.records else None
    if isinstance(last, Finished):
        return last
    raise ValueError("the history cannot be judged: it breaks off, its last record is not 'finished'")
