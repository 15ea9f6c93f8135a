"""Each worker in turn."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import ClassVar, TypeAlias

from policies.call import Call
from policies.candidates import MOST_SUBSETS, Candidate, Candidates
from policies.policy import Picker

# The worker whose turn was longest ago first, with what it has saved towards a pick.
Turns: TypeAlias = OrderedDict[str, float]

WHOLE = 1 - 1e-9  # ten tenths, as floats add them up


def _turns_by_subset() -> Callable[[frozenset[str] | None], Turns]:
    @lru_cache(MOST_SUBSETS)
    def turns(_allowed: frozenset[str] | None) -> Turns:
        return OrderedDict()

    return turns


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(Picker):
    """The candidate whose turn was longest ago, among calls that may reach the same workers.

    A worker of full weight is picked at each of its turns; one of less saves its weight at each and is picked
    when that comes to a whole, so that its picks are to those of the others as its weight is to theirs.

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
            turns.update(dict.fromkeys(candidates.workers, 0.0))
        saving: list[Candidate] = []
        for worker, saved in turns.items():
            found = candidates.look(worker)
            if found is None:
                continue
            if saved + found.weight >= WHOLE:
                return _take_turns(turns, saving, found)
            saving.append(found)
        return _go_round(turns, saving) if saving else None


def _take_turns(turns: Turns, before: list[Candidate], chosen: Candidate, rounds: int = 1) -> Candidate:
    """Those before the chosen one save at each of `rounds` turns; it does so too, and spends a whole."""
    for candidate in (*before, chosen):
        turns[candidate.worker] += rounds * min(1.0, candidate.weight)
        turns.move_to_end(candidate.worker)
    turns[chosen.worker] = max(0.0, turns[chosen.worker] - 1)
    return chosen


def _go_round(turns: Turns, saving: list[Candidate]) -> Candidate:
    """Nobody has a whole at the first turn: as many rounds as the first to have it needs, at once."""
    needs = [ceil((WHOLE - turns[each.worker]) / each.weight) for each in saving]
    rounds = min(needs)
    place = needs.index(rounds)
    for candidate in saving[place + 1 :]:  # whose last turn does not come any more
        turns[candidate.worker] += (rounds - 1) * candidate.weight
    return _take_turns(turns, saving[:place], saving[place], rounds)
