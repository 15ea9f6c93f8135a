"""Whether a run came out as it did before: its history against the one that is on record."""

from itertools import zip_longest
from pathlib import Path

from harness.errors import BadInput
from harness.judging.result import RunResult
from harness.results import HISTORY, RESULT, ROOT
from harness.virtual_run import VirtualRun, digest

REPORT_IT = "Unless limplock or a policy of your own was changed since, report it"
Known = tuple[Path, RunResult]


def find_result(run: VirtualRun, against: Path | None) -> Known | None:
    """The result on record of the same run: in `against` (a file or a folder), or below the results' root.

    BadInput if `against` is none, or of another run.
    """
    if against is None:
        paths = sorted(ROOT.glob(f"*/*/{RESULT}"), reverse=True)
        readable = ((path, _read(path)) for path in paths if not path.parent.parent.is_symlink())
        return next(((path, known) for path, known in readable if known and run.is_of(known.replay)), None)
    paths = [against]
    if against.is_dir():  # of one run, or of several
        paths = [path for path in (against / RESULT, *sorted(against.glob(f"*/{RESULT}"))) if path.exists()]
    found = [(path, known) for path in paths if (known := _read(path))]
    if not found:
        raise BadInput(
            f"--against {against}: no {RESULT} that this version can read. Name the file, or its folder"
        )
    same = [(path, known) for path, known in found if run.is_of(known.replay)]
    if not same:
        raise BadInput(f"--against {against}: this is the result of another run")
    return same[0]


def same_history(folder: Path, result: RunResult, known: Known | None) -> tuple[bool, str]:
    """Whether the history in `folder` is the known one, and one line that says so."""
    if known is None:
        return (
            True,
            f"NOT COMPARED: no earlier result of this run is here. Digest of its history: {result.digest}",
        )
    path, before = known
    if before.digest == result.digest and _unchanged(path.parent / HISTORY, before.digest):
        return True, f"the same history to the byte as {path.parent} (digest {result.digest[:12]})"
    return False, f"NOT the same history as {path.parent}: {_first_difference(path.parent, folder)}"


def _unchanged(path: Path, recorded: str) -> bool:
    """Whether a history is as it was when its digest was taken, or is no longer there."""
    return not path.exists() or digest(path) == recorded


def _first_difference(before: Path, now: Path) -> str:
    try:
        with (before / HISTORY).open("rb") as old, (now / HISTORY).open("rb") as new:
            for number, (was, became) in enumerate(zip_longest(old, new, fillvalue=b""), 1):
                if was != became:
                    return f"they differ from line {number} on. {REPORT_IT}"
    except OSError:
        pass
    return "its digest differs, and its history is no longer there"


def _read(path: Path) -> RunResult | None:
    """None for what is no result, and for what is no file: a pipe would be waited for."""
    try:
        return RunResult.from_json(path.read_text()) if path.is_file() else None
    except (OSError, ValueError):
        return None
