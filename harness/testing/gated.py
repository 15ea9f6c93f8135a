"""`limplock.gate` in a test: the command's own gate, its result in place of an exit code."""

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from harness.gate_command import GATE, Wanted, run_gate
from harness.gating.reading import read_gate_file
from harness.judging.pairs.gate_result import GateResult
from harness.judging.result import Verdict
from harness.real_deployment import Options
from harness.reporting.gate import gate_lines
from harness.testing.conducting import jobs
from harness.testing.tested_run import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedGate:
    """A gate that was run, and the folder of its files."""

    __test__ = False  # pytest takes what is called Test... for tests

    result: GateResult
    folder: Path

    @property
    def verdict(self) -> Verdict:
        return self.result.verdict

    @property
    def lines(self) -> list[str]:
        """What the command says of it; the first line alone is enough."""
        return [*(line.plain for line in gate_lines(self.result)), f"files: {self.folder}/"]

    @property
    def properties(self) -> list[tuple[str, str]]:
        each = [(cell, objective) for cell in self.result.cells for objective in cell.objectives]
        return [
            (f"limplock.verdict {self.result.file}", str(self.verdict)),
            *((f"limplock.{objective.id} {cell.fault}", str(objective.verdict)) for cell, objective in each),
        ]


def engine_of(path: Path, engine: Engine | None) -> Engine:
    """The one that is given, else the file's. BadInput for a file that is wrong."""
    return engine or read_gate_file(path, engine).engine


def conduct_gate(path: Path, engine: Engine, folder: Path) -> TestedGate:
    """As `limplock gate`, in virtual time with the same costs on every machine."""
    wanted = Wanted(
        engine=engine,
        costs="tiny_cpu" if engine == "virtual" else "auto",
        jobs=jobs(),
        out=folder,
        options=Options(),
    )
    with redirect_stdout(io.StringIO()):  # it is told with everything else that the test expects
        run_gate(path, wanted)
    return TestedGate(result=GateResult.from_json((folder / GATE).read_text()), folder=folder)
