"""What a CI job on GitHub is told: outputs, a short summary, and a note at each line that does not hold."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from harness.exit_codes import ExitCode
from harness.judging.pairs.gate_result import GateResult, ObjectiveResult
from harness.judging.result import Verdict
from harness.reporting.gate import first_line, limit_of, mark, measured

MOST_NOTES = 5  # a step may have ten, and others want some
LONGEST = 300


def tell_github(
    result: GateResult, code: ExitCode, folder: Path, environment: Mapping[str, str] = os.environ
) -> list[str]:
    """Writes to the files that the job names, if it names any. Returns the notes, lines for its output."""
    outputs = {
        "verdict": str(result.verdict),
        "exit-code": str(int(code)),
        "headline": one_line(first_line(result)),
        "folder": str(folder),
    }
    _append(environment.get("GITHUB_OUTPUT"), "".join(f"{key}={value}\n" for key, value in outputs.items()))
    _append(environment.get("GITHUB_STEP_SUMMARY"), summary(result))
    return list(notes(result))[:MOST_NOTES] if environment.get("GITHUB_ACTIONS") == "true" else []


def summary(result: GateResult) -> str:
    """Markdown: the verdict and a table of all objectives."""
    rows = [
        f"| {mark(each)} | {_cell(each.id)} | {_cell(cell.fault)} | {_cell(measured(each))} |"
        f" {_cell(limit_of(each))} | {each.pairs} |"
        for cell in result.cells
        for each in cell.objectives
    ]
    head = ["| | objective | fault | median [interval] | limit | pairs |", "|---|---|---|---|---|---|"]
    return "\n".join([f"### {_cell(first_line(result))}", "", *head, *rows, ""]) + "\n"


def notes(result: GateResult) -> Iterator[str]:
    """Worst first: errors for what is broken, warnings for what is undecided."""
    each = [(o, c.fault) for c in result.cells for o in c.objectives if o.verdict is not Verdict.PASS]
    for objective, fault in sorted(each, key=lambda pair: not _is_error(pair[0])):
        kind = "error" if _is_error(objective) else "warning"
        words = (
            f"{objective.id}: {measured(objective)}, limit {limit_of(objective)}, under {fault or 'no fault'}"
        )
        yield f"::{kind} file={_property(result.file)},line={objective.line}::{_data(words)}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def _is_error(objective: ObjectiveResult) -> bool:
    return objective.verdict is Verdict.FAIL and objective.blocks


def _cell(text: str) -> str:
    """Within a table, and mentioning nobody."""
    safe = one_line(text)[:LONGEST].replace("\\", "\\\\").replace("|", "\\|").replace("@", "@\u200b")
    return safe.replace("<", "&lt;").replace(">", "&gt;")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _append(path: str | None, text: str) -> None:
    """A job that cannot be told loses no verdict."""
    if path:
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
