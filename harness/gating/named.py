"""What a gate's file names: scenario, faults, policies and an earlier result. Each must be there and fit."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from faults.notation import spell
from harness.config import find_preset, find_scenario, is_file
from harness.errors import BadInput
from harness.fault_text import check_simulated, sized, with_fault
from harness.fleet import with_phases
from harness.gating.gate_file import Baseline, GateFile
from harness.gating.problem import Problem
from harness.gating.yaml_text import Place
from harness.scenario import Scenario
from policies.arguments import shown
from policies.presets.preset import Preset

_PREFIXES = ("--fault: ", "--policy: ")  # of the command line, where these are options


def find_named(gate: GateFile, problems: list[Problem]) -> Scenario | None:
    """The scenario with the gate's workers and phases; None if there is none such. Adds to `problems`."""
    presets = _presets(gate, problems)
    place: Place = ("scenario",)
    try:
        scenario = find_scenario(gate.scenario)
        place = ("workers",)
        scenario = _with_size(scenario, gate)
    except BadInput as wrong:
        problems.append(Problem(gate.line_of(*place), _plain(wrong)))
        return None
    _check_faults(gate, scenario, presets, problems)
    return scenario


def _with_size(scenario: Scenario, gate: GateFile) -> Scenario:
    """BadInput for fewer workers than the scenario can be with. Its load waits for a measured capacity."""
    workers = scenario.topology.workers if gate.workers is None else gate.workers
    try:
        sized = replace(scenario, topology=replace(scenario.topology, workers=workers))
    except ValueError as wrong:
        raise BadInput(f"workers: {workers} are too few. {wrong}") from wrong
    return with_phases(sized, gate.phases)


def _presets(gate: GateFile, problems: list[Problem]) -> list[Preset]:
    named: dict[Place, str] = {("policy",): gate.policy}
    if gate.baseline is not None:
        named["baseline", "policy"] = gate.baseline.policy
        problems += _baseline(gate, gate.baseline)
    found = []
    for place, text in named.items():
        try:
            found += [find_preset(text)] if text else []  # one that is missing was told
        except BadInput as wrong:
            problems.append(Problem(gate.line_of(*place), _plain(wrong)))
    return found


def _baseline(gate: GateFile, baseline: Baseline) -> Iterator[Problem]:
    line = gate.line_of("baseline")
    if (baseline.result is None) == (not baseline.policy):
        yield Problem(line, "baseline takes either policy, measured in the same job, or result. Write one")
    elif baseline.result is not None and not is_file(baseline.result):
        yield Problem(
            gate.line_of("baseline", "result"),
            f"baseline: {shown(str(baseline.result))} is no file. Give the gate.json of an earlier gate",
        )


def _check_faults(
    gate: GateFile, scenario: Scenario, presets: Sequence[Preset], problems: list[Problem]
) -> None:
    seen: dict[str, int] = {}
    for number, text in enumerate(gate.faults or ("",)):
        line = gate.line_of("faults", number)
        try:
            with_it = _with_fault(scenario, text, gate)
            for preset in presets:
                sized(with_it, preset.build(with_it.topology.workers), preset.name)
        except BadInput as wrong:
            problems.append(Problem(line, _plain(wrong) + _cut_in_two(text)))
            continue
        spelled = spell(with_it.fault) if with_it.fault is not None else ""
        if spelled in seen:
            words = f"fault {spelled} is there twice, also in line {seen[spelled]}. Remove one"
            problems.append(Problem(line, words))
        seen.setdefault(spelled, line)


def _with_fault(scenario: Scenario, text: str, gate: GateFile) -> Scenario:
    if text.isspace() or (gate.faults and not text):
        raise BadInput("a fault is empty. Write one such as slow_steps(factor=10)")
    found = with_fault(scenario, text)
    if gate.engine == "virtual":
        check_simulated(found.fault)
    return found


def _cut_in_two(text: str) -> str:
    """A comma ends an item of [a, b], also within parentheses."""
    return ". In [a, b] a fault with a comma stands in quotes" if text.count("(") != text.count(")") else ""


def _plain(wrong: BadInput) -> str:
    """Without the option of the command line, which is a key here."""
    words = str(wrong)
    return next((words.removeprefix(p) for p in _PREFIXES if words.startswith(p)), words).replace("\n", " ")
