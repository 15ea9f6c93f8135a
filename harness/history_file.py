"""The file that a history is written through to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from harness.errors import EnvironmentFault


class HistoryFile:
    """Says once that it cannot write, and takes nothing more: many tasks write, and one failure is enough."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._failed = False

    def write(self, data: bytes) -> None:
        if self._failed:
            return
        try:
            self._file.write(data)
        except OSError as wrong:
            self._failed = True
            raise cannot_write(self._path, wrong) from wrong

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as wrong:  # what was held back does not fit either; it is closed all the same
            if not self._failed:
                self._path.unlink(missing_ok=True)
                raise cannot_write(self._path, wrong) from wrong
        if self._failed:
            self._path.unlink(missing_ok=True)


@contextmanager
def open_history(path: Path) -> Iterator[HistoryFile]:
    """A new file at `path`. EnvironmentFault if it cannot be written whole; then none is left there."""
    try:
        file = path.open("wb")
    except OSError as wrong:
        raise cannot_write(path, wrong) from wrong
    history_file = HistoryFile(file, path)
    try:
        yield history_file
    finally:
        history_file.close()


def cannot_write(path: Path, wrong: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"cannot write {path}: {wrong.strerror or wrong}. Make room, or choose another folder with --out"
    )
