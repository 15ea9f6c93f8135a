"""The journal of a run: what it may leave behind, written and synced before it is done.

One file of JSON lines in the cache folder: a header that says whose it is, then what is opened and what is
done. It goes with the run that has nothing open; after a death whoever finds it knows what to undo.
"""

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
from harness.serving.synced_file import append, create, remove

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
            self._file = create(self.path, msgspec.json.encode(header))
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
                append(self._file, msgspec.json.encode(Opened(entry)), sync=True)
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
                append(self._file, msgspec.json.encode(Done(entry)), sync=False)

    def check(self) -> None:
        """EnvironmentFault if nobody would undo what a fault leaves behind."""
        if not self.guarded():
            raise EnvironmentFault("the janitor has ended: no fault is started without one. Run it again")

    def close(self) -> None:
        """Take the file away if nothing is open. Else it is nobody's from now on."""
        if self._open:
            with suppress(OSError):  # a full disk: then it is ours until we end
                append(self._file, msgspec.json.encode(Closed()), sync=False)
        else:
            remove(self.path)
        os.close(self._file)

    def _unwritable(self, wrong: OSError) -> EnvironmentFault:
        return EnvironmentFault(
            f"cannot write the journal {self.path}: {wrong.strerror}. Nothing is injected without one:"
            " make room or set LIMPLOCK_CACHE to a folder that can be written"
        )
