"""What a gate will do, before it does it: runs, looks, time, and what so many pairs can prove."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.config import find_preset, find_scenario
from harness.errors import BadFile, BadInput
from harness.fault_text import check_simulated, find_faults, sized, with_fault
from harness.fleet import Fleet, resize, with_phases
from harness.gating.checks import check
from harness.gating.demand import Demand
from harness.gating.duration import PROCESSES_S, arms, round_s
from harness.gating.gate_file import GateFile
from harness.gating.problem import Problem, refuse
from harness.gating.rounds import Cell
from harness.gating.yaml_text import Place
from harness.judging.live import can_be_guarded
from harness.judging.pairs.looks import Looks
from harness.scenario import Scenario
from harness.serving.cost_store import Chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`scenarios` has one for each fault, at the gate's size and load, in the order of the file.

    `jobs`: processes at once in virtual time.
    """

    gate: GateFile
    scenarios: tuple[Scenario, ...]
    looks: Looks
    chosen: Chosen
    jobs: int = 1
    measures_capacity: bool = False
    noise_ratio: float | None = None  # between pairs in real time, where somebody knows it

    @property
    def candidate(self) -> list[Cell]:
        name = find_preset(self.gate.policy).name
        return [Cell(name, fault) for fault in find_faults(self.gate.faults) or [""]]

    @property
    def baseline(self) -> list[Cell]:
        """Those that are measured in this job, only where an objective asks for them."""
        given = self.gate.baseline
        if given is None or not given.policy or not self.compares:
            return []
        return [Cell(find_preset(given.policy).name, cell.fault) for cell in self.candidate]

    @property
    def compares(self) -> bool:
        return any(objective.against == "baseline" for objective in self.gate.objectives)

    @property
    def real(self) -> bool:
        return self.gate.engine == "torch"

    @property
    def fleet(self) -> Fleet:
        return fleet_of(self.gate)

    @property
    def decisions(self) -> int:
        """How many share the error: blocking objectives, under each fault."""
        return len(self.scenarios) * sum(objective.blocks for objective in self.gate.objectives)

    def seconds(self, pairs: int) -> float:
        """Of wall time, for so many pairs of every cell."""
        policies = 2 if self.baseline else 1
        whole_s = pairs * round_s(self.scenarios, policies, real=self.real)
        return whole_s if self.real else whole_s / self.jobs + PROCESSES_S * (self.jobs > 1)

    @property
    def runs(self) -> int:
        """In a round."""
        return arms(self.scenarios, 2 if self.baseline else 1)


def plan_gate(gate: GateFile, chosen: Chosen, *, jobs: int, measures_capacity: bool = False) -> Plan:
    """BadInput, with a line for each problem, for what cannot be run or cannot decide anything."""
    scenarios = tuple(_scenarios(gate, chosen))
    demand = Demand.of(scenarios[0])
    problems = check(gate, scenarios[0], demand)
    refuse(gate.path, [*problems, *_guards(gate)])
    return Plan(
        gate=gate,
        scenarios=scenarios,
        looks=looks_of(gate),
        chosen=chosen,
        jobs=jobs,
        measures_capacity=measures_capacity,
    )


def looks_of(gate: GateFile) -> Looks:
    """That can decide all that blocks, under each fault. ValueError if so few pairs cannot."""
    blocking = sum(objective.blocks for objective in gate.objectives)
    pairs, faults = gate.pairs, max(1, len(gate.faults))
    return Looks.planned(pairs.least, pairs.most, 1 - pairs.confidence_ratio, blocking * faults)


def fleet_of(gate: GateFile) -> Fleet:
    return Fleet(workers=gate.workers, load=gate.load_ratio)


def _scenarios(gate: GateFile, chosen: Chosen) -> Iterator[Scenario]:
    """BadInput names the line of what cannot be."""
    base = with_phases(find_scenario(gate.scenario), gate.phases)
    names = [gate.policy, *([gate.baseline.policy] if gate.baseline and gate.baseline.policy else [])]
    for number, text in enumerate(gate.faults or ("",)):
        place: Place = ("load",) if gate.load_ratio is not None else ("workers",)
        try:
            scenario = resize(with_fault(base, text), fleet_of(gate), chosen.costs)
            place = ("faults", number) if gate.faults else ("scenario",)
            if gate.engine == "virtual":
                check_simulated(scenario.fault)
            for preset in map(find_preset, names):
                sized(scenario, preset.build(scenario.topology.workers), preset.name)
        except BadInput as wrong:
            raise BadFile(f"{gate.path}:{gate.line_of(*place)}: {wrong}") from wrong
        yield scenario


def _guards(gate: GateFile) -> Iterator[Problem]:
    for guard in gate.guards:
        if not can_be_guarded(guard.metric):
            yield Problem(
                guard.line,
                f"{guard.metric} is known when a run is over. Take drop_ratio of a caller, waiting of a hop",
            )
