"""Each worker in turn."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, TypeAlias

from policies.call import Call
from policies.candidates import MOST_SUBSETS, Candidate, Candidates
from policies.policy import Picker

Turns: TypeAlias = OrderedDict[str, None]  # the worker that was picked longest ago first


def _turns_by_subset() -> Callable[[frozenset[str] | None], Turns]:
    @lru_cache(MOST_SUBSETS)
    def turns(_allowed: frozenset[str] | None) -> Turns:
        return OrderedDict()

    return turns


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(Picker):
    """The candidate that was picked longest ago, among calls that may reach the same workers.

    Turns are kept per set of allowed workers, so that callers bound to a few do not skew the share of the
    others, and by last use rather than by position, so that a worker whose gate was shut misses its turns
    without shifting anyone else's.
    """

    name: ClassVar[str] = "round_robin"
    meaning: ClassVar[str] = "gives each open worker its turn, whatever its load"

    _turns: Callable[[frozenset[str] | None], Turns] = field(
        default_factory=_turns_by_subset, init=False, repr=False, compare=False
    )

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        turns = self._turns(call.workers)
        if not turns:
            turns.update(dict.fromkeys(candidates.workers))
        for worker in turns:
            chosen = candidates.look(worker)
            if chosen is not None:
                turns.move_to_end(worker)
                return chosen
        return None
