"""A neighbour that holds memory and keeps touching it: the deed of a sidecar."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from faults.process.memory_pressure import MEGABYTE

CHUNK = 16 * MEGABYTE
PAGE = 4096
TOUCH_EVERY_S = 0.01
RESERVE_BYTES = 1_000_000_000  # for everybody else on the machine
_CGROUP = Path("/sys/fs/cgroup")


class MemoryNeighbour:
    """Grows a chunk at a time, so that orders are heard meanwhile."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._base = self._held_bytes()
        self._goal = 0
        self._chunks: list[bytearray] = []
        self._next = 0
        with suppress(OSError):  # not Linux
            Path("/proc/self/oom_score_adj").write_text("1000")  # the first to be killed

    def take(self, wanted: int) -> None:
        """Bytes, in all."""
        self._goal = wanted
        while sum(map(len, self._chunks)) > wanted:
            self._chunks.pop()

    def go_on(self) -> float:
        left = self._goal - sum(map(len, self._chunks))
        if left > 0:
            self._chunks.append(bytearray(min(left, CHUNK)))
            _touch(self._chunks[-1])
            return 0.0
        if self._chunks:
            self._next = (self._next + 1) % len(self._chunks)
            _touch(self._chunks[self._next])
        return TOUCH_EVERY_S

    def seen(self) -> Mapping[str, float]:
        """What the system says that it holds, less what it came with."""
        held = max(0, self._held_bytes() - self._base)
        return {"neighbours": 1.0, "neighbour_megabytes": held / MEGABYTE}

    def undo(self) -> None:
        self._chunks.clear()

    def _held_bytes(self) -> int:
        return int(self._process.memory_info().rss)


def room_bytes() -> int:
    """What may be taken: available to this machine or this container, less a reserve."""
    room = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        limit = int((_CGROUP / "memory.max").read_text())
        room = min(room, limit - int((_CGROUP / "memory.current").read_text()))
    return max(0, room - RESERVE_BYTES)


def _touch(chunk: bytearray) -> None:
    chunk[::PAGE] = b"\x01" * len(range(0, len(chunk), PAGE))
