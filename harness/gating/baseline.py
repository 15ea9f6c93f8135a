"""The baseline of an earlier gate: its pairs, taken only where they can be compared with what is run now.

Virtual time is the same everywhere, so the same version, costs, load and seeds are enough. Times of a wall
clock say something about the machine that they were measured on, and about no other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from harness.errors import BadInput
from harness.gating.gate_file import GateFile
from harness.gating.machine import this_machine
from harness.judging.pairs.gate_result import GateResult, Machine
from harness.judging.pairs.pair import PairResult
from harness.virtual_run import VirtualRun

SAME_JOB = "Use baseline: {policy: ...}, which is measured in the same job, or --engine virtual"


@dataclass(frozen=True, slots=True)
class Stored:
    """The candidate's pairs of an earlier gate, by fault and seed."""

    path: Path
    result: GateResult
    by_fault: Mapping[str, Mapping[int, PairResult]]

    def pairs(self, fault: str) -> Mapping[int, PairResult]:
        """`fault` as it is written; empty is the scenario's own."""
        return self.by_fault.get(fault, {})


def read_baseline(gate: GateFile, runs: Mapping[str, VirtualRun | None]) -> Stored | None:
    """None where the gate names no result. BadInput, with file and line, for one that cannot be compared.

    `runs`: by fault the candidate's run with the first seed, None where it is real.
    """
    path = gate.baseline.result if gate.baseline else None
    if path is None:
        return None
    where = f"{gate.path}:{gate.line_of('baseline', 'result')}: baseline {path}"
    result = _read(path, where)
    wrong = next(_not_comparable(result, gate), "")
    stored = Stored(path, result, {fault: _pairs(result, fault) for fault in runs})
    try:
        wrong = wrong or next(_other_runs(stored, runs), "")
    except BadInput as damaged:  # its replay tokens
        raise BadInput(f"{where}: {damaged}") from damaged
    if wrong:
        raise BadInput(f"{where} {wrong}")
    return stored


def _read(path: Path, where: str) -> GateResult:
    try:
        return GateResult.from_json(path.read_text())
    except OSError as wrong:
        raise BadInput(f"{where} cannot be read: {wrong.strerror or wrong}") from wrong
    except ValueError as wrong:
        raise BadInput(
            f"{where} is no result that this version can read. Give the gate.json of an earlier gate"
        ) from wrong


def _not_comparable(result: GateResult, gate: GateFile) -> Iterator[str]:
    if result.engine != gate.engine:
        yield f"is of engine {result.engine}, this gate of {gate.engine}. {SAME_JOB}"
    if result.version != version("limplock"):
        yield f"was made by limplock {result.version}, this is {version('limplock')}. {SAME_JOB}"
    if result.engine == "torch" and result.machine != (here := this_machine()):
        yield f"was measured on another machine ({_differs(result.machine, here)}). {SAME_JOB}"
    if result.scenario != gate.scenario:
        yield f"is of scenario {result.scenario}, this gate of {gate.scenario}. {SAME_JOB}"
    if result.seed != gate.seed:
        yield f"began with seed {result.seed}, this gate with {gate.seed}. Write seed: {result.seed}"


def _differs(was: Machine | None, now: Machine) -> str:
    """The first thing that is not the same."""
    if was is None:
        return "nobody wrote down which"
    names = type(now).model_fields
    name = next(name for name in names if getattr(was, name) != getattr(now, name))
    return f"{name}: {getattr(was, name) or 'none'} there, {getattr(now, name) or 'none'} here"


def _pairs(result: GateResult, fault: str) -> dict[int, PairResult]:
    pairs = [pair for cell in result.cells for pair in cell.cell.pairs]
    return {pair.seed: pair for pair in pairs if pair.fault.setting.fault_ordered == fault}


def _other_runs(stored: Stored, runs: Mapping[str, VirtualRun | None]) -> Iterator[str]:
    """Whether something but the policy differs."""
    for fault, run in runs.items():
        pairs = stored.pairs(fault)
        if not pairs:
            yield f"has no pairs under {fault or 'the same fault'}. Run that gate with the faults of this one"
        elif run is not None:
            then = VirtualRun.of(pairs[min(pairs)].fault.replay)
            same = msgspec.structs.replace(then, preset=run.preset)
            if same != run:
                yield f"has other workers, load, phases or costs than this gate. {SAME_JOB}"
