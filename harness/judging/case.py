"""A history laid out for judging: joined, and cut into the windows that the law's prediction sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.judging import law, littles_law
from harness.judging.bite import measure_bite
from harness.judging.books import check_books
from harness.judging.bootstrap import cut
from harness.judging.bystanders import enough
from harness.judging.cohort import Cohort, Part
from harness.judging.history import Attempted, Finished, History, Setup
from harness.judging.load import fills_first, measure_load
from harness.judging.pressure import HopTraffic, traffic
from harness.judging.requests import Request, join
from harness.judging.result import Bite, Law
from harness.judging.side import Side
from harness.judging.windows import Timeline, Window, finish, timeline

SAME = (  # of the set-ups of a pair
    "scenario", "preset", "seed", "version", "workers", "hops", "engine", "model", "device",
    "timeout_s", "max_num_seqs", "max_queue", "step_floor_s",
)  # fmt: skip
SAME_TIME_S = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """All that the measures are computed from: what happened `during` the fault, against the `reference`.

    That is the same window of the control, or, of a run that stands alone, its own baseline.
    """

    history: History
    setup: Setup
    times: Timeline
    finished: Finished
    requests: list[Request]
    hops: list[HopTraffic]
    bite: Bite | None
    prediction: Law
    windows: tuple[Window, Window, Window | None]  # before, during, after
    reference: Side
    during: Side
    control: "Case | None" = None  # whose the reference is; None: a run that stands alone

    @property
    def paired(self) -> bool:
        return self.control is not None

    def beside(self, window: Window) -> Window:
        """The same stretch of the control, whose load may have begun at another time."""
        if self.control is None:
            return window
        ours, theirs = (times.phases["baseline"].start_s for times in (self.times, self.control.times))
        return Window(window.start_s + theirs - ours, window.end_s + theirs - ours)

    @property
    def faulted(self) -> list[str]:
        """The faulted workers by name, none for a run without a fault."""
        return self.setup.fault.workers if self.setup.fault else []

    @property
    def cohorts(self) -> Sequence[Cohort]:
        return self.during.cohorts

    @property
    def bystanders(self) -> list[Cohort]:
        return [cohort for cohort in self.cohorts if cohort.bystander]

    @property
    def judged(self) -> list[tuple[Part, Part]]:
        """Bystanders with enough requests to be compared, in the reference and during the fault."""
        both = zip(self.reference.parts, self.during.parts, strict=True)
        return [(was, now) for was, now in both if now.cohort.bystander and enough(was, now)]

    @property
    def services(self) -> list[str]:
        """Hops with bounded slots, nearest to the workers first."""
        return [at.hop.name for at in reversed(self.hops) if at.hop.slots is not None]


def lay_out(history: History) -> Case:
    """A run that stands alone. ValueError, in one line, for a history that is incomplete or wrong."""
    return _lay_out(history, None)


def lay_out_pair(history: History, control: History) -> tuple[Case, Case]:
    """A run with the fault, held against its control, and the control, cut into the same windows.

    ValueError for a history that is incomplete, and for two that are no pair.
    """
    check_pair(history.setup, control.setup)
    case = _lay_out(history, None)
    beside = _lay_out(control, case)
    for ours, theirs in zip(case.cohorts, beside.cohorts, strict=True):
        _check_same_requests(ours, theirs)
    bounds_s = {cohort.name: cohort.good_within_s for cohort in beside.cohorts}
    cohorts = [replace(cohort, good_within_s=bounds_s[cohort.name]) for cohort in case.cohorts]
    during = replace(case.during, cohorts=cohorts)
    return replace(case, reference=beside.during, during=during, control=beside), beside


def check_pair(setup: Setup, control: Setup) -> None:
    """ValueError for two runs that differ in more than the fault."""
    if control.fault is not None:
        raise ValueError("these are no pair: the control has a fault of its own")
    if control.callers != setup.callers:
        raise ValueError("these are no pair: their callers are not the same")
    for name in SAME:
        ours, theirs = getattr(setup, name), getattr(control, name)
        if ours != theirs:
            raise ValueError(
                f"these are no pair: {name} is {ours!r} with the fault, {theirs!r} in the control"
            )


def _check_same_requests(ours: Cohort, theirs: Cohort) -> None:
    """ValueError if the caller did not ask the same at the same times, whenever its load began."""
    one, other = (np.diff(cohort.intended_s) for cohort in (ours, theirs))
    if len(ours.requests) != len(theirs.requests) or not np.allclose(one, other, rtol=0, atol=SAME_TIME_S):
        raise ValueError(f"these are no pair: {ours.name} did not send the same requests in both runs")


def _lay_out(history: History, faulted: Case | None) -> Case:
    """`faulted`: the run that this one is the control of, which sets the windows."""
    setup, finished, times = history.setup, finish(history), _times(history, faulted)
    requests, hops, bite = join(history), traffic(history), measure_bite(history, times)
    before, after = times.before(), times.after()
    cohorts = _cohorts(setup, requests, before)
    littles_law.check_everywhere(hops, cohorts, history.of(Attempted), finished.at_s)
    check_books(history, hops)
    prediction = _predict(history, requests, hops, before, bite)
    during = times.during((faulted.prediction if faulted else prediction).travel_s)
    rng = np.random.default_rng(setup.seed)
    return Case(
        history=history,
        setup=setup,
        times=times,
        finished=finished,
        requests=requests,
        hops=hops,
        bite=bite,
        prediction=prediction,
        windows=(before, during, after),
        reference=Side(cut(before, rng), requests, hops, cohorts),
        during=Side(cut(during, rng), requests, hops, cohorts),
    )


def _times(history: History, faulted: Case | None) -> Timeline:
    """A fault takes its time to come and to go, and its control is compared in the same stretch."""
    times = timeline(history)
    if faulted is None:
        return times
    later_s = times.phases["baseline"].start_s - faulted.times.phases["baseline"].start_s
    fault = faulted.times.fault
    return replace(times, fault=Window(fault.start_s + later_s, fault.end_s + later_s))


def _predict(
    history: History,
    requests: Sequence[Request],
    hops: Sequence[HopTraffic],
    before: Window,
    bite: Bite | None,
) -> Law:
    fault = history.setup.fault
    load = measure_load(history, requests, before, frozenset(fault.workers)) if fault else None
    service = fills_first(hops, history.setup.callers, before, load.share) if load else None
    return law.predict(history.setup, load, service, bite)


def _cohorts(setup: Setup, requests: Sequence[Request], before: Window) -> list[Cohort]:
    by_caller: dict[str, list[Request]] = {caller.name: [] for caller in setup.callers}
    for request in requests:
        if request.arrived.caller not in by_caller:
            raise ValueError(
                f"the history does not add up: {request.arrived.caller!r} is no caller of its set-up"
            )
        by_caller[request.arrived.caller].append(request)
    return [
        Cohort.of(
            caller,
            by_caller[caller.name],
            before,
            bystander=setup.fault is None or caller.bystander or not caller.inference,
        )
        for caller in setup.callers
    ]
