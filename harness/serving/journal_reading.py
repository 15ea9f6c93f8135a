"""What the journals in the cache folder say: whose they are, and what is left of runs that are over."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

import msgspec

from harness.serving.journal import SUFFIX, VERSION, Closed, Done, Header, Line, journal_folder
from harness.serving.journal_entries import Entry, process_of
from harness.serving.process_identity import boot, runs
from harness.serving.synced_file import remove

JANITOR_S = 15.0  # what a janitor may still need for a run that was killed just now
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Found:
    """One journal. `damage` says in words what is wrong with it; then `open` is not the whole truth."""

    path: Path
    header: Header | None
    open: tuple[Entry, ...] = ()
    closed: bool = False
    damage: str = ""

    @property
    def run(self) -> str:
        return self.header.run if self.header else self.path.stem

    @property
    def owned(self) -> bool:
        """Whether its run is still under way, and will clean up itself."""
        header = self.header
        return (
            header is not None
            and not self.closed
            and header.boot == boot()
            and runs(header.pid, header.started_s)
        )

    @property
    def attended(self) -> bool:
        """Whether its janitor is still at it."""
        header = self.header
        return (
            header is not None
            and header.janitor is not None
            and header.boot == boot()
            and runs(*header.janitor)
        )

    @property
    def left(self) -> tuple[Entry, ...]:
        """What may still be there: no process has outlived the boot that it was started in."""
        if self.header is None or self.header.boot == boot():
            return self.open
        return tuple(entry for entry in self.open if process_of(entry) is None)


def read_journal(path: Path) -> Found:
    """FileNotFoundError if it is gone; whatever else is wrong with it is its `damage`."""
    try:
        if not S_ISREG(path.stat().st_mode):
            return Found(path, None, damage="it is no file")  # and reading it might never end
        *lines, last = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise
    except OSError as wrong:
        return Found(path, None, damage=f"it cannot be read: {wrong.strerror}")
    if not lines:
        return Found(path, None, damage="it is empty" if not last else "its first line is not complete")
    try:
        header = msgspec.json.decode(lines[0], type=Header)
    except msgspec.DecodeError:
        return Found(path, None, damage="line 1 is no header")
    if header.version != VERSION:
        why = f"it is of version {header.version}, {VERSION} is understood"
        return Found(path, header, damage=why)  # whose it is was understood: one under way is left alone
    return _read_lines(path, header, lines[1:])  # half a last line was never acted on


def left_behind(folder: Path | None = None, *, wait_s: float = JANITOR_S) -> list[Found]:
    """The journals that nobody looks after. A janitor that is still at it is waited for, `wait_s` at most.

    Those that have nothing open are taken away unseen.
    """
    give_up_s = time.monotonic() + wait_s
    while left := [found for found in _all(folder or journal_folder()) if _is_left(found)]:
        if time.monotonic() >= give_up_s or not any(found.attended for found in left):
            return left
        time.sleep(_LOOK_S)
    return []


def _is_left(found: Found) -> bool:
    if found.owned:
        return False
    if found.damage or found.left:
        return True
    with suppress(OSError):  # a folder that cannot be written: it is in nobody's way
        remove(found.path)
    return False


def _all(folder: Path) -> Iterator[Found]:
    try:
        paths = sorted(folder.glob(f"*{SUFFIX}"))
    except FileNotFoundError:
        return
    for path in paths:
        try:
            yield read_journal(path)
        except FileNotFoundError:
            continue


def _read_lines(path: Path, header: Header, lines: list[bytes]) -> Found:
    left: dict[Entry, None] = {}
    closed = False
    for number, text in enumerate(lines, 2):
        try:
            line = msgspec.json.decode(text, type=Line)
        except msgspec.DecodeError:
            return Found(path, header, tuple(left), closed, f"line {number} is not understood")
        if isinstance(line, Closed):
            closed = True
        elif isinstance(line, Done):
            left.pop(line.entry, None)
        else:
            left[line.entry] = None
    return Found(path, header, tuple(left), closed)
