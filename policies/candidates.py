"""The workers that one call may go to, as a picker sees them.

A worker's gates are asked when it is looked at, so that choosing costs no more in a pool of thousands than in
one of four.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOST_SUBSETS = 256  # of workers that calls are bound to, of which anything is remembered: those used last


@dataclass(frozen=True, slots=True)
class Candidate:
    """A worker whose gates are open."""

    worker: str
    weight: float
    pending: int  # attempts in flight on it from this gateway, until end of stream


class Candidates:
    """`workers` in pool order; `look` is the candidate of a worker, None where a gate is shut."""

    __slots__ = ("look", "workers")

    def __init__(self, workers: Sequence[str], look: Callable[[str], Candidate | None]) -> None:
        self.workers = workers
        self.look = look

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> "Candidates":
        """These and no others."""
        known = {candidate.worker: candidate for candidate in candidates}
        return cls(tuple(known), known.get)

    def in_order(self) -> Iterator[Candidate]:
        """Every candidate, in pool order."""
        return (found for worker in self.workers if (found := self.look(worker)) is not None)

    def at_random(self, rng: random.Random) -> Iterator[Candidate]:
        """Every candidate once, in an order that `rng` draws as it goes on (Fisher and Yates, lazily)."""
        moved: dict[int, int] = {}
        for left in range(len(self.workers), 0, -1):
            drawn = int(rng.random() * left)  # half the cost of randrange
            place = moved.get(drawn, drawn)
            moved[drawn] = moved.get(left - 1, left - 1)
            if (found := self.look(self.workers[place])) is not None:
                yield found
