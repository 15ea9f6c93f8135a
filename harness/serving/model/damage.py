"""The border between a checkpoint folder, which may hold anything, and the rest."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import BadInput


@contextmanager
def refusing_damage(folder: Path) -> Iterator[None]:
    """Turn what reading nonsense raises into BadInput that names `folder`, in one line.

    The readers name the file and field of what they expect to be wrong; this is for what they do not.
    """
    try:
        yield
    except BadInput as error:
        raise BadInput(_one_line(error)) from None
    except (
        OSError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        LookupError,
        RecursionError,
    ) as e:
        raise BadInput(f"{folder} is damaged: {type(e).__name__}: {_one_line(e)}") from None


def _one_line(error: Exception) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in str(error))
    return " ".join(printable.split())
