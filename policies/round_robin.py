"""Each worker in turn."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import ClassVar

from policies.candidates import Candidate, Candidates
from policies.policy import Call, Picker


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(Picker):
    """The candidate that was picked longest ago, among calls that may reach the same workers.

    Turns are kept per set of allowed workers, so that callers bound to a few do not skew the share of the
    others, and by last use rather than by position, so that a worker whose gate was shut misses its turns
    without shifting anyone else's.
    """

    name: ClassVar[str] = "round_robin"
    meaning: ClassVar[str] = "gives each open worker its turn, whatever its load"

    _turns: dict[frozenset[str] | None, OrderedDict[str, None]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        turns = self._turns.get(call.workers)
        if turns is None:
            turns = self._turns[call.workers] = OrderedDict.fromkeys(candidates.workers)
        for worker in turns:  # the one picked longest ago first
            chosen = candidates.look(worker)
            if chosen is not None:
                turns.move_to_end(worker)
                return chosen
        return None
