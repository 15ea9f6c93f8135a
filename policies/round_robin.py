"""Each worker in turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

from policies.policy import Call, Candidate, Picker


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(Picker):
    """The candidate that was picked longest ago, among calls that may reach the same workers.

    Turns are kept per set of allowed workers, so that callers bound to a few do not skew the share of the
    others, and by last use rather than by position, so that a worker whose gate was shut misses its turns
    without shifting anyone else's.
    """

    name: ClassVar[str] = "round_robin"
    meaning: ClassVar[str] = "gives each open worker its turn, whatever its load"

    _ticks: Iterator[int] = field(default_factory=lambda: count(1), init=False, repr=False, compare=False)
    _turns: dict[frozenset[str] | None, dict[str, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def pick(self, call: Call, candidates: Sequence[Candidate]) -> Candidate:
        used = self._turns.setdefault(call.workers, {})
        chosen = min(candidates, key=lambda candidate: used.get(candidate.worker, 0))
        used[chosen.worker] = next(self._ticks)
        return chosen
