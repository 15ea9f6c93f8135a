"""A disk that is full ends the run in one line, and leaves no half of a history."""

from pathlib import Path

import pytest

from harness.errors import EnvironmentFault
from harness.history_file import HistoryFile, open_history


class Full:
    """A file on a full disk."""

    def __init__(self) -> None:
        self.tries = 0

    def write(self, data: bytes) -> int:
        self.tries += 1
        raise OSError(28, "No space left on device")

    def close(self) -> None:
        self.write(b"")


def test_only_the_first_of_many_writers_hears_of_it(tmp_path: Path) -> None:
    full = Full()
    file = HistoryFile(full, tmp_path / "h")
    with pytest.raises(EnvironmentFault, match=r"cannot write .*/h: No space left on device\. Make room"):
        file.write(b"1")
    for _ in range(1000):
        file.write(b"2")
    assert full.tries == 1


def test_what_could_not_be_written_whole_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "h"
    with pytest.raises(EnvironmentFault), open_history(path) as file:
        file._file.close()
        file._file = Full()
        file.write(b"1")
    assert not path.exists()


def test_what_does_not_fit_when_it_is_closed_is_an_error_too(tmp_path: Path) -> None:
    path = tmp_path / "h"
    with pytest.raises(EnvironmentFault), open_history(path) as file:
        file._file.close()
        file._file = Full()
    assert not path.exists()


def test_another_failure_keeps_what_was_recorded_so_far(tmp_path: Path) -> None:
    path = tmp_path / "h"
    with pytest.raises(ZeroDivisionError), open_history(path) as file:
        file.write(b"1")
        raise ZeroDivisionError
    assert path.read_bytes() == b"1"
