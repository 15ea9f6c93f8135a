"""One wall-clock run at a time on a machine: two would measure each other."""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from harness.errors import EnvironmentFault

LOOK_EVERY_S = 0.2
LONGEST_HOLDER = 300  # characters that are told of who holds it


def lock_file() -> Path:
    return Path(tempfile.gettempdir()) / "limplock-wallclock.lock"


@contextmanager
def machine_lock(
    path: Path,
    who: str,
    wait_s: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold it for the block. EnvironmentFault after `wait_s`, saying who has it; it ends with its process."""
    until_s = clock() + wait_s
    with _opened(path) as file:
        while not _taken(file):
            if clock() >= until_s:
                raise EnvironmentFault(
                    f"another wall-clock run has this machine since {wait_s:g} s: {_holder(path)}."
                    " Wait for it, or allow more with --limplock-wait"
                )
            sleep(LOOK_EVERY_S)
        file.truncate(0)
        file.write(f"process {os.getpid()}, {who}"[:LONGEST_HOLDER])
        file.flush()
        yield  # the lock goes with the file
        file.truncate(0)


def _opened(path: Path) -> TextIO:
    """One file for all users: a folder for temporary files lets nobody make another's file anew."""
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
            path.chmod(0o666)
        return path.open("r+")
    except OSError as wrong:
        raise EnvironmentFault(
            f"cannot open {path}: {wrong.strerror}. It keeps wall-clock runs apart; remove it, or set TMPDIR"
        ) from wrong


def _taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(path: Path) -> str:
    words = "".join(c for c in path.read_text()[:LONGEST_HOLDER] if c.isprintable()) if path.exists() else ""
    return words or "it does not say who"
