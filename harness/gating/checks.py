"""What can be known to be wrong with a gate before anything is started, as a pure function."""

from collections.abc import Iterator

from harness.errors import BadInput
from harness.gating.contradictions import contradictions
from harness.gating.demand import Demand
from harness.gating.gate_file import GateFile, StopIf
from harness.gating.in_sight import out_of_sight
from harness.gating.measurable import about_the_fault, check_place, check_when
from harness.gating.problem import Problem
from harness.gating.samples import too_few, too_few_for
from harness.judging.pairs.looks import Looks
from harness.judging.pairs.objective import Objective, find_metric
from harness.scenario import Scenario


def check(gate: GateFile, scenario: Scenario, demand: Demand | None) -> list[Problem]:
    """`scenario` with the gate's workers and phases. `demand` None: the load is not known yet.

    Of a metric that is not to be had, nothing else is told.
    """
    found = list(contradictions(gate.objectives))
    for objective in gate.objectives:
        found += _objective(objective, gate, scenario, demand)
    for guard in gate.guards:
        found += _guard(guard, scenario, demand)
    return [*found, *_assertion(gate), *_plan(gate)]


def _objective(
    objective: Objective, gate: GateFile, scenario: Scenario, demand: Demand | None
) -> Iterator[Problem]:
    at = objective.line
    try:
        check_place(objective.measured, objective.of, scenario)
        check_when(objective)
    except BadInput as wrong:
        yield Problem(at, f"{objective.id}: {wrong}")
        return
    if scenario.fault is None and not gate.faults and about_the_fault(objective):
        words = (
            f"scenario {scenario.name} has no fault for it to be about. Add faults: ['slow_steps(factor=10)']"
        )
        yield Problem(at, f"{objective.id}: {words}")
        return
    if objective.against == "baseline" and gate.baseline is None:
        yield Problem(
            at, f"{objective.id}: {objective.bound} needs a baseline. Add baseline: {{policy: libraries}}"
        )
    few = too_few(objective, demand, scenario.phases) if demand else ""
    for words in filter(None, (few, out_of_sight(objective, scenario.phases))):
        yield Problem(at, f"{objective.id}: {words}")


def _guard(guard: StopIf, scenario: Scenario, demand: Demand | None) -> Iterator[Problem]:
    metric = find_metric(guard.metric)
    if metric.of not in ("caller", "hop"):
        words = f"{guard.metric} is known when a run is over, a guard looks at callers and hops meanwhile"
        yield Problem(guard.line, f"{words}. Take drop_ratio of a caller, or waiting of a hop")
        return
    try:
        check_place(metric, guard.of, scenario)
    except BadInput as wrong:
        yield Problem(guard.line, str(wrong))
        return
    if guard.for_s > scenario.phases.load_s:
        yield Problem(guard.line, f"for: a run is {scenario.phases.load_s:g} s long. Write less than that")
        return
    words = too_few_for(guard, demand) if demand else ""
    if words:
        yield Problem(guard.line, words)


def _assertion(gate: GateFile) -> Iterator[Problem]:
    if gate.objectives and not any(objective.blocks for objective in gate.objectives):
        yield Problem(
            gate.line_of("objectives"),
            "nothing is asserted: no objective has level: block. Give one that level",
        )


def _plan(gate: GateFile) -> Iterator[Problem]:
    """Whether the pairs can decide so many objectives at all."""
    pairs, line = gate.pairs, gate.line_of("pairs")
    if pairs.most < pairs.least:
        yield Problem(line, f"pairs: most, {pairs.most}, is below least, {pairs.least}. Raise most")
        return
    cells = max(1, len(gate.faults)) * sum(objective.blocks for objective in gate.objectives)
    try:
        Looks.planned(pairs.least, pairs.most, 1 - pairs.confidence_ratio, max(1, cells))
    except ValueError as wrong:
        yield Problem(line, f"pairs: {wrong}. Raise most, or have fewer of them block")
