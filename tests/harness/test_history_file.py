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


def write_whole(path: Path, *, on_full_disk: bool, then: Exception | None = None) -> None:
    with open_history(path) as file:
        file.write(b"1")
        if on_full_disk:
            file._file.close()
            file._file = Full()
        if then is not None:
            raise then


def test_what_does_not_fit_when_it_is_closed_is_an_error_and_is_removed(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot write"):
        write_whole(tmp_path / "h", on_full_disk=True)
    assert list(tmp_path.iterdir()) == []


def test_another_failure_is_raised_and_keeps_what_was_recorded_so_far(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        write_whole(tmp_path / "h", on_full_disk=False, then=ZeroDivisionError())
    assert (tmp_path / "h").read_bytes() == b"1"
