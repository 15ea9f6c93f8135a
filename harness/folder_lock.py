"""One job at a time in a folder of results: two would write into each other's files."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.errors import BadInput


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold it for the block. It leaves no file and ends with its process. BadInput where another has it."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks does without
            _take(opened, folder)
        yield
    finally:
        os.close(opened)


def _take(opened: int, folder: Path) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"another job is writing to {folder}. Choose another folder with --out") from None
