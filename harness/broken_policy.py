"""A user's policy that breaks in the middle of a run: told as theirs, by name and line, not as our bug."""

import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.errors import BadInput, LimplockError
from policies.notation import names_of_own, one_line

TRACEBACK = "traceback.txt"


@contextmanager
def told_as_theirs(preset: str, folder: Path | None = None) -> Iterator[None]:
    """BadInput for what goes wrong in the block if the pipeline `preset` has policies of the user's own.

    The traceback is left in `folder`, or in a new one among the system's temporary ones.
    """
    try:
        yield
    except LimplockError:
        raise
    except (Exception, SystemExit, GeneratorExit) as wrong:  # a stranger's code may raise anything
        names = names_of_own(preset)
        if not names:
            raise
        place = (folder or Path(tempfile.mkdtemp(prefix="limplock-"))) / TRACEBACK
        with suppress(OSError):
            place.write_text("".join(traceback.format_exception(wrong)), errors="backslashreplace")
        words = one_line(f"{type(wrong).__name__}: {wrong}".rstrip(": "))
        raise BadInput(f"{_whose(names, wrong)}: {words}. The traceback is in {place}") from wrong


def _whose(names: list[str], wrong: BaseException) -> str:
    """The policy in whose module it broke, with the line; all of them if it broke on what one returned."""
    modules = {name.partition(":")[0]: name for name in names}
    files = {getattr(sys.modules.get(module), "__file__", None): name for module, name in modules.items()}
    for frame in reversed(traceback.extract_tb(wrong.__traceback__)):
        if name := files.get(frame.filename):
            return f"{name} broke the run, in line {frame.lineno} of {frame.filename}"
    return f"the run broke, perhaps by what {' or '.join(names)} returned"
