"""Whole answers that were given before, the latest used last to go."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from policies.reuse.request_key import Key

Pieces: TypeAlias = Sequence[Chunk]


@dataclass(frozen=True, slots=True)
class _Kept:
    pieces: Pieces
    until_s: float


class Answers:
    """At most `size` answers, each for `ttl_s` seconds; the least recently used makes room."""

    def __init__(self, size: int, ttl_s: float = float("inf")) -> None:
        self._size = size
        self._ttl_s = ttl_s
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Key, now: float) -> Pieces | None:
        """The answer, None if there is none or it is too old."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        if now >= kept.until_s:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept.pieces

    def keep(self, key: Key, pieces: Pieces, now: float) -> None:
        """Remember an answer from now on. When its pieces came once says nothing of when they will again."""
        timeless = tuple(Chunk(piece.data, tokens=piece.tokens) for piece in pieces)
        self._kept[key] = _Kept(timeless, now + self._ttl_s)
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)


def worth_keeping(outcome: Outcome) -> bool:
    """Only a whole answer of a worker's: any other (a stand-in, say) names the phase it was made in."""
    return outcome.kind is Kind.OK and not outcome.phase


def give(call: Call, pieces: Pieces) -> None:
    """The whole answer to the caller, at once."""
    for piece in pieces:
        call.committed = call.committed or piece.tokens > 0
        call.sink(piece)


@contextmanager
def overheard(call: Call) -> Iterator[list[Chunk]]:
    """What goes to the caller meanwhile."""
    pieces: list[Chunk] = []
    sink: Callable[[Chunk], None] = call.sink

    def hear(chunk: Chunk) -> None:
        pieces.append(chunk)
        sink(chunk)

    call.sink = hear
    try:
        yield pieces
    finally:
        call.sink = sink
