"""Which cache row holds which slot.

Slots are the batcher's names: they have holes and a batch need not take all of them. Rows are ours: those of
the sequences that decode in this step are always the first ones, so that attention reads a view and copies
nothing. One row is copied when a sequence leaves, instead of all of them in every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relocation:
    """What the cache must do: copy row `source` to `target`, or exchange the two."""

    source: int
    target: int
    exchange: bool


class Rows:
    """A one-to-one table of slots and rows."""

    def __init__(self, rows: int) -> None:
        self._slot_in: list[int | None] = [None] * rows
        self._row_of: dict[int, int] = {}

    def row_of(self, slot: int) -> int:
        return self._row_of[slot]

    def release(self, slot: int) -> None:
        """Forget `slot`; unknown slots are fine, a sequence may be aborted before its first step."""
        row = self._row_of.pop(slot, None)
        if row is not None:
            self._slot_in[row] = None

    def take(self, slot: int) -> int:
        """Give `slot` the lowest free row."""
        row = self._slot_in.index(None)
        self._put(slot, row)
        return row

    def gather(self, slots: Sequence[int]) -> list[Relocation]:
        """Make `slots` occupy the first rows, in any order; what sat there moves out of the way."""
        wanted = set(slots)
        strays = [row for row in map(self._row_of.__getitem__, slots) if row >= len(slots)]
        places = [row for row in range(len(slots)) if self._slot_in[row] not in wanted] if strays else []
        return [self._relocate(source, target) for source, target in zip(strays, places, strict=True)]

    def _relocate(self, source: int, target: int) -> Relocation:
        arriving, leaving = self._slot_in[source], self._slot_in[target]
        self._slot_in[source] = None
        for slot, row in ((leaving, source), (arriving, target)):
            if slot is not None:
                self._put(slot, row)
        return Relocation(source, target, exchange=leaving is not None)

    def _put(self, slot: int, row: int) -> None:
        self._slot_in[row] = slot
        self._row_of[slot] = row
