"""The journal of a run: what it may leave behind, written and synced before it is done.

One file of JSON lines in the cache folder: a header that says whose it is, then what is opened and what is
done. It goes with the run that has nothing open; after a death whoever finds it knows what to undo.
"""

import errno
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from harness.errors import EnvironmentFault
from harness.serving.journal_entries import Entry
from harness.serving.model.cache import cache_dir
from harness.serving.process_identity import boot, started_s

VERSION = 1
SUFFIX = ".journal"


class Header(msgspec.Struct, frozen=True):
    """First line: the process that the journal belongs to."""

    run: str
    pid: int
    started_s: float
    boot: str
    version: int = VERSION
    janitor: tuple[int, float] | None = None  # process and start of who undoes it after our death


class Opened(msgspec.Struct, frozen=True, tag_field="op", tag="open"):
    """It is about to be done."""

    entry: Entry


class Done(msgspec.Struct, frozen=True, tag_field="op", tag="done"):
    """It was undone."""

    entry: Entry


class Closed(msgspec.Struct, frozen=True, tag_field="op", tag="closed"):
    """The run is over, and what is open now could not be undone."""


Line = Opened | Done | Closed


def journal_folder() -> Path:
    """Where the journals of all runs are."""
    return cache_dir() / "journals"


class Journal:
    """Written by the run that it belongs to. Safe to use from threads: `intend` waits for the disk."""

    def __init__(self, run: str, folder: Path | None = None, janitor: int = 0) -> None:
        """EnvironmentFault, in one line, if it cannot be written; then nothing may be started."""
        self.path = self.path_of(run, folder or journal_folder())
        self.guarded: Callable[[], bool] = lambda: True  # whether somebody would undo what is written here
        self._lock = threading.Lock()
        self._open: dict[Entry, None] = {}
        header = Header(
            run=run,
            pid=os.getpid(),
            started_s=started_s(os.getpid()) or 0.0,
            boot=boot(),
            janitor=(janitor, started_s(janitor) or 0.0) if janitor else None,
        )
        try:
            self._file = _create(self.path, msgspec.json.encode(header) + b"\n")
        except OSError as wrong:
            raise self._unwritable(wrong) from wrong

    @staticmethod
    def path_of(run: str, folder: Path) -> Path:
        return (folder / f"{run}{SUFFIX}").absolute()

    @property
    def open(self) -> tuple[Entry, ...]:
        """What was intended and is not done, in order."""
        return tuple(self._open)

    def intend(self, entry: Entry) -> None:
        """On the disk when this returns; only then may it be done. Again for what is open changes nothing.

        EnvironmentFault if it cannot be written, or if nobody is left to undo it should we die.
        """
        self.check()
        with self._lock:
            if entry in self._open:
                return
            try:
                _append(self._file, Opened(entry), sync=True)
            except OSError as wrong:
                raise self._unwritable(wrong) from wrong
            self._open[entry] = None

    def done(self, entry: Entry) -> None:
        """It was undone, and seen to be. What is not open may be done.

        A disk that is full changes nothing: what is undone twice does no harm, and what is removed in the end
        needs no room.
        """
        with self._lock, suppress(OSError):
            if entry in self._open:
                del self._open[entry]
                _append(self._file, Done(entry), sync=False)

    def check(self) -> None:
        """EnvironmentFault if nobody would undo what a fault leaves behind."""
        if not self.guarded():
            raise EnvironmentFault("the janitor has ended: no fault is started without one. Run it again")

    def close(self) -> None:
        """Take the file away if nothing is open. Else it is nobody's from now on."""
        if self._open:
            with suppress(OSError):  # a full disk: then it is ours until we end
                _append(self._file, Closed(), sync=False)
        else:
            remove(self.path)
        os.close(self._file)

    def _unwritable(self, wrong: OSError) -> EnvironmentFault:
        return EnvironmentFault(
            f"cannot write the journal {self.path}: {wrong.strerror}. Nothing is injected without one:"
            " make room or set LIMPLOCK_CACHE to a folder that can be written"
        )


def remove(path: Path) -> None:
    """For good, also if the power goes. It may be gone already."""
    unfinished(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    _sync_folder(path.parent)


def unfinished(path: Path) -> Path:
    """Where a journal is until its header is complete: nothing has been intended by then."""
    return path.with_suffix(".new")


def _create(path: Path, header: bytes) -> int:
    """A file is either not there or has its whole header, whenever the power goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = unfinished(path)
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        _write(file, header)
        os.fsync(file)
        new.rename(path)
        _sync_folder(path.parent)
    except OSError:
        os.close(file)
        new.unlink(missing_ok=True)
        raise
    return file


def _append(file: int, line: Line, *, sync: bool) -> None:
    """The whole line or nothing."""
    before = os.fstat(file).st_size
    try:
        _write(file, msgspec.json.encode(line) + b"\n")
        if sync:
            os.fsync(file)
    except OSError:
        os.ftruncate(file, before)
        raise


def _write(file: int, data: bytes) -> None:
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
