"""What a test expects of a run: its verdict on spread, or bounds on a metric. Judged when the test ends."""

from dataclasses import dataclass, field
from typing import Self, get_args

from harness.errors import BadInput, unknown
from harness.gating.demand import Demand
from harness.gating.measurable import check_place, check_when
from harness.gating.quantity import Written, read_limit
from harness.gating.samples import too_few
from harness.judging.pairs.objective import Bound, During, Objective, find_metric
from harness.judging.result import Verdict
from harness.testing.given import check_given
from harness.testing.one_line import in_one_line
from harness.testing.tested_run import TestedRun


@dataclass(slots=True, kw_only=True, repr=False)
class Expectation:
    """Of one run. `wanted`: the verdict on spread that it must get; `objectives`: bounds on `metric`."""

    run: TestedRun
    metric: str = ""
    of: str = ""
    during: During = "fault"
    wanted: Verdict | None = None
    objectives: list[Objective] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.during not in get_args(During):
            raise unknown("window (during)", str(self.during), get_args(During))
        if self.metric:
            try:
                metric = find_metric(self.metric)
            except ValueError as wrong:
                raise BadInput(str(wrong)) from wrong
            check_place(metric, self.of, self.run.scenario)

    def __repr__(self) -> str:
        return f"<expectation of {self.metric or 'the verdict'} of {self.run!r}>"

    @property
    def says_something(self) -> bool:
        return self.wanted is not None or bool(self.objectives)

    @in_one_line
    def contained(self) -> Self:
        """No bystander felt the fault."""
        return self._spread(Verdict.PASS, "contained()")

    @in_one_line
    def spreads(self) -> Self:
        """Bystanders felt it: what must be seen, too, so that a suite can fail."""
        return self._spread(Verdict.FAIL, "spreads()")

    @in_one_line
    def at_most(self, limit: Written) -> Self:
        """In the metric's unit: a number, `10 s`, `2%`."""
        return self._bound("max", limit, "at_most")

    @in_one_line
    def at_least(self, limit: Written) -> Self:
        """In the metric's unit: a number, `10 s`, `2%`."""
        return self._bound("min", limit, "at_least")

    @in_one_line
    def vs_control(self, *, max: Written | None = None, min: Written | None = None) -> Self:  # noqa: A002
        """Compared with the control, the run without the fault: so many times the same figure there."""
        if max is None and min is None:
            raise BadInput("vs_control() has no bound. Write vs_control(max=1.5), or min")
        if max is not None:
            self._bound("max_vs_control", max, "vs_control")
        return self if min is None else self._bound("min_vs_control", min, "vs_control")

    def _spread(self, wanted: Verdict, call: str) -> Self:
        if self.metric:
            raise BadInput(
                f"{call} is about the whole run: limplock.expect(run).{call}, without {self.metric}"
            )
        if self.wanted is not None and self.wanted is not wanted:
            raise BadInput("a run cannot be contained and spread. Leave one of them out")
        self.wanted = wanted
        return self

    def _bound(self, bound: Bound, written: Written, call: str) -> Self:
        if not self.metric:
            raise BadInput(f"{call} needs a metric: limplock.expect(run, 'ttft_s.p99_all', of='chat')")
        check_given({call: written}, int, float, str)
        unit = "factor" if "_vs_" in bound else find_metric(self.metric).unit
        try:
            limit = read_limit(written, unit)
        except (ValueError, OverflowError) as wrong:
            raise BadInput(f"{call}: {wrong}") from wrong
        objective = Objective(
            id=f"{self.metric}.{bound}",
            metric=self.metric,
            of=self.of,
            during=self.during,
            bound=bound,
            limit=limit,
        )
        self._check(objective)
        self.objectives.append(objective)
        return self

    def _check(self, objective: Objective) -> None:
        """BadInput for what can be seen to be undecidable now."""
        check_when(objective)
        if objective.of:
            scenario = self.run.scenario
            if few := too_few(objective, Demand.of(scenario), scenario.phases):
                raise BadInput(f"{self.metric}: {few}")
