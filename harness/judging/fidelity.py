"""How far a virtual run is from the real run of the same plan: two results in, rows with their ratio out.

| figure                                     | tolerance | noise floor                       |
|--------------------------------------------|-----------|-----------------------------------|
| goodput                                    | 20 %      | 20 good requests in the phase     |
| median of first token, of whole answers    | 20 %      | 0.1 s, for local requests only    |
| p95 and p99 of both                        | 35 %      | 0.1 s, for local requests only    |
| slots in use                               | 20 %      | 1 slot                            |

A local request takes 2 ms and its hops over HTTP about as much again: where both sides are under the floor
they are told apart by their difference, and the floor is added to both before the tolerance is applied, as
the judges of spread do. Requests that need a worker have no floor: their first token is due within 0.1 s.
The floors are those of the judges of spread.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from harness.judging.bystanders import IN_FLIGHT_FLOOR, LATENCY_FLOOR_S, LEAST_REQUESTS
from harness.judging.result import Caller, Place, RunResult, Trend, Verdict

PHASES = ("before", "during", "after")  # the fault; the attributes of a `Trend`
MIDDLE_RATIO, TAIL_RATIO = 0.20, 0.35


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric as it is compared. `floor` in its unit."""

    metric: str
    label: str
    unit: str
    tolerance_ratio: float
    floor: float = 0.0


GOODPUT = Figure("goodput_rps", "goodput", "requests/s", MIDDLE_RATIO)  # the floor is that of its phase
IN_USE = Figure("in_use", "in use", "slots", MIDDLE_RATIO, IN_FLIGHT_FLOOR)


def _latencies(metric: str, label: str, floor_s: float = 0.0) -> list[Figure]:
    tolerances = {"p50": MIDDLE_RATIO, "p95": TAIL_RATIO, "p99": TAIL_RATIO}
    return [
        Figure(f"{metric}.{name}_all", f"{label} {name}", "s", ratio, floor_s)
        for name, ratio in tolerances.items()
    ]


ANSWERS = (GOODPUT, *_latencies("ttft_s", "TTFT"), *_latencies("e2e_s", "e2e"))
LOCALS = (GOODPUT, *_latencies("e2e_s", "e2e", LATENCY_FLOOR_S))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of one caller or hop in one phase. Of several runs the median, unless they are pooled.

    None: that side has no such figure. The other has, so the two are not alike.
    """

    where: str
    figure: Figure
    phase: str
    real: float | None
    virtual: float | None
    floor: float = 0.0

    @property
    def small(self) -> bool:
        """Both under the noise floor: a ratio would tell of noise."""
        return (
            self.real is not None and self.virtual is not None and max(self.real, self.virtual) < self.floor
        )

    @property
    def ratio(self) -> float | None:
        """Virtual / real. 1 if both are the same, infinity and zero too; infinite if only real is zero."""
        return None if self.real is None or self.virtual is None else _ratio(self.virtual, self.real)

    @property
    def ok(self) -> bool:
        """Within the tolerance, the floor added to both where both are under it."""
        if self.real is None or self.virtual is None:
            return False
        added = self.floor if self.small else 0.0
        limit = self.figure.tolerance_ratio + 1e-9  # 1.2 / 1 - 1 is a hair above 0.2 in binary
        return abs(_ratio(self.virtual + added, self.real + added) - 1) <= limit


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Real runs and the virtual ones of the same plans, in pairs of the same scenario, preset and seed.

    `pairs` are those whose real run decided; only they are compared, unless there are none.
    """

    title: str
    pairs: Sequence[tuple[RunResult, RunResult]]
    undecided: Sequence[RunResult]
    rows: Sequence[Row]

    @property
    def decided(self) -> bool:
        return len(self.pairs) > 0

    @property
    def verdicts_agree(self) -> bool:
        return all(real.verdict is virtual.verdict for real, virtual in self.pairs)

    @property
    def outside(self) -> list[Row]:
        """The rows beyond their tolerance; none where no real run decided."""
        return [row for row in self.rows if not row.ok] if self.decided else []

    @property
    def verdict(self) -> Verdict:
        """INCONCLUSIVE where no real run decided anything, or no figure is there to compare."""
        if self.outside or not self.verdicts_agree:
            return Verdict.FAIL
        return Verdict.PASS if self.decided and self.rows else Verdict.INCONCLUSIVE


def compare(pairs: Sequence[tuple[RunResult, RunResult]]) -> Fidelity:
    """`pairs`: (real, virtual) of one scenario and preset, one a seed, at least one.

    ValueError for runs of different plans.
    """
    for real, virtual in pairs:
        if _plan(real) != _plan(virtual):
            raise ValueError(f"{_plan(real)} and {_plan(virtual)} are no pair")
    decided = [pair for pair in pairs if pair[0].verdict is not Verdict.INCONCLUSIVE]
    undecided = [real for real, _ in pairs if real.verdict is Verdict.INCONCLUSIVE]
    first = pairs[0][0].setting
    shown = decided or pairs  # what an undecided run measured is still worth a look
    reals, virtuals = [real for real, _ in shown], [virtual for _, virtual in shown]
    return Fidelity(f"{first.scenario} x {first.preset}", decided, undecided, [*_rows(reals, virtuals)])


def _plan(result: RunResult) -> tuple[str, str, int]:
    return result.setting.scenario, result.setting.preset, result.setting.seed


def _rows(reals: Sequence[RunResult], virtuals: Sequence[RunResult]) -> Iterator[Row]:
    floors_rps = {phase: LEAST_REQUESTS / _length_s([*reals, *virtuals], phase) for phase in PHASES}
    callers = {caller.name: caller for result in (*virtuals, *reals) for caller in result.callers}
    for caller in callers.values():
        for figure in ANSWERS if caller.inference else LOCALS:
            floors = floors_rps if figure is GOODPUT else dict.fromkeys(PHASES, figure.floor)
            seen = [_of_caller(result.callers, caller.name, figure.metric) for result in reals]
            modelled = [_of_caller(result.callers, caller.name, figure.metric) for result in virtuals]
            yield from _phases(caller.name, figure, floors, seen, modelled)
    held, predicted = [_in_use(result) for result in reals], [_in_use(result) for result in virtuals]
    floors = dict.fromkeys(PHASES, IN_USE.floor)
    for name in dict.fromkeys(name for at in (*held, *predicted) for name in at):
        sides = [[at.get(name, Trend()) for at in side] for side in (held, predicted)]
        yield from _phases(name, IN_USE, floors, *sides)


def _phases(
    where: str, figure: Figure, floors: Mapping[str, float], reals: Sequence[Trend], virtuals: Sequence[Trend]
) -> Iterator[Row]:
    """A row for each phase that either side has a figure of."""
    for phase in PHASES:
        real, virtual = _middle(reals, phase), _middle(virtuals, phase)
        if real is not None or virtual is not None:
            yield Row(
                where=where, figure=figure, phase=phase, real=real, virtual=virtual, floor=floors[phase]
            )


def _length_s(results: Sequence[RunResult], phase: str) -> float:
    """Of the phase, by a caller with a good answer in it. Infinite where there is none."""
    for caller in (caller for result in results for caller in result.callers):
        rate_rps, share, offered = (
            getattr(caller.metrics.get(name, Trend()), phase)
            for name in ("goodput_rps", "goodput_ratio", "offered")
        )
        if rate_rps:
            return float(share * offered / rate_rps)
    return float("inf")


def _middle(trends: Sequence[Trend], phase: str) -> float | None:
    """The median over the runs that have the figure."""
    values: list[float] = [v for trend in trends if (v := getattr(trend, phase)) is not None]
    return median(values) if values else None


def _of_caller(callers: Sequence[Caller], name: str, metric: str) -> Trend:
    return next((c.metrics.get(metric, Trend()) for c in callers if c.name == name), Trend())


def _in_use(result: RunResult) -> dict[str, Trend]:
    """Services and gateway by name, the workers as two groups: which healthy one is which means nothing."""
    groups: dict[str, list[Place]] = {}
    for place in result.places:
        kind = "faulted worker" if place.faulted else "healthy worker"
        groups.setdefault(kind if place.kind == "worker" else place.name, []).append(place)
    return {name: _mean([place.metrics["in_use"] for place in places]) for name, places in groups.items()}


def _mean(trends: Sequence[Trend]) -> Trend:
    columns = {phase: [getattr(trend, phase) for trend in trends] for phase in PHASES}
    return Trend(**{phase: fmean(c) for phase, c in columns.items() if None not in c})


def _ratio(part: float, whole: float) -> float:
    if part == whole:
        return 1.0
    return part / whole if whole else float("inf")
