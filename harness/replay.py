"""Whether a run came out as it did before: its history against the one that is on record."""

from itertools import zip_longest
from pathlib import Path

from harness.errors import BadInput
from harness.judging.result import RunResult
from harness.results import RESULT, ROOT
from harness.virtual_run import HISTORY, VirtualRun, digest

Known = tuple[Path, RunResult]


def find_result(run: VirtualRun, against: Path | None) -> Known | None:
    """The result on record of the same run: in `against` (a file or a folder), or below the results' root.

    BadInput if `against` is none, or of another run.
    """
    if against is not None:
        path = against / RESULT if against.is_dir() else against
        known = _read(path)
        if known is None:
            raise BadInput(f"--against {against}: no result.json of a run can be read there")
        if not run.is_of(known.replay):
            raise BadInput(f"--against {against}: this is the result of another run")
        return path, known
    paths = sorted(ROOT.glob(f"*/*/{RESULT}"), reverse=True)
    readable = ((path, _read(path)) for path in paths if not path.parent.parent.is_symlink())
    return next(((path, known) for path, known in readable if known and run.is_of(known.replay)), None)


def same_history(folder: Path, result: RunResult, known: Known | None) -> tuple[bool, str]:
    """Whether the history in `folder` is the known one, and one line that says so."""
    if known is None:
        return True, f"replayed; no earlier result to compare with. Digest of its history: {result.digest}"
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
                    return f"they differ from line {number} on. Please report this as a bug"
    except OSError:
        pass
    return "its digest differs, and its history is no longer there"


def _read(path: Path) -> RunResult | None:
    try:
        return RunResult.from_json(path.read_text())
    except (OSError, ValueError):
        return None
