"""A gate's file, from its bytes to what it means, with everything that is wrong with it told at once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from harness.config import PIPELINE_SUFFIX
from harness.gating.checks import check
from harness.gating.demand import Demand
from harness.gating.file_text import read_text
from harness.gating.gate_file import Baseline, Engine, GateFile, PairsPlan
from harness.gating.named import find_named
from harness.gating.objectives import read_guard, read_objective
from harness.gating.problem import Problem, refuse
from harness.gating.settings import Settings
from harness.gating.structure import Structure, read_structure
from harness.gating.yaml_text import read_yaml

WHAT = "A gate's file has version: 1, policy and objectives. See docs/gate.md"

Read = TypeVar("Read")


def read_gate_file(path: Path, engine: Engine | None = None, baseline: Baseline | None = None) -> GateFile:
    """`engine` and `baseline`: instead of the file's own.

    BadInput has one line for each problem, with the number of its line. Nothing is started.

    How many requests a percentile gets is checked here only where the load is the scenario's own.
    """
    document = read_yaml(read_text(path, WHAT))
    structure = read_structure(document)
    if structure is None:
        refuse(path, document.problems)
        raise AssertionError("a file that cannot be read has a problem")
    problems = list(document.problems)
    gate = _gate(path, structure, Settings(structure.gate, document.lines, problems), problems)
    gate = gate if engine is None else replace(gate, engine=engine)
    gate = gate if baseline is None else replace(gate, baseline=baseline)
    scenario = find_named(gate, problems)
    if scenario is not None:
        own_rates = structure.gate.load is None and structure.gate.workers is None
        demand = Demand.of(scenario) if own_rates else None
        problems += check(gate, scenario, demand)
    refuse(path, problems)
    return gate


def _gate(path: Path, structure: Structure, settings: Settings, problems: list[Problem]) -> GateFile:
    written, lines = structure.gate, settings.lines
    objectives = (read_objective(each, i, lines) for i, each in structure.objectives.items())
    guards = (read_guard(each, i, lines) for i, each in structure.guards.items())
    return GateFile(
        path=path,
        engine=written.engine,
        scenario=written.scenario,
        workers=written.workers,
        load_ratio=settings.load_ratio(),
        phases=settings.phases(),
        faults=tuple(written.faults or ()),
        policy=_beside(path, written.policy),
        baseline=_baseline(path, structure),
        pairs=PairsPlan(
            least=written.pairs.least, most=written.pairs.most, confidence_ratio=settings.confidence_ratio()
        ),
        seed=written.seed,
        objectives=tuple(_right(objectives, problems)),
        guards=tuple(_right(guards, problems)),
        lines=lines,
    )


def _right(read: Iterator[Read | Problem | None], problems: list[Problem]) -> Iterator[Read]:
    for each in read:
        if isinstance(each, Problem):
            problems.append(each)
        elif each is not None:
            yield each


def _baseline(path: Path, structure: Structure) -> Baseline | None:
    written = structure.gate.baseline
    if written is None:
        return None
    result = None if written.result is None else path.parent / written.result
    return Baseline(policy=_beside(path, written.policy or ""), result=result)


def _beside(path: Path, policy: str) -> str:
    """A pipeline's file is looked for beside the gate's."""
    from_file = policy.endswith(PIPELINE_SUFFIX)
    return str(path.parent / policy) if from_file else policy
