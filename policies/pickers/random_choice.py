"""Any of the open workers, by chance."""

import random
from dataclasses import dataclass
from typing import ClassVar

from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.policy import Picker

TRIES = 16  # with half the weight everywhere, one draw in 65,000 needs more


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomChoice(Picker):
    """Each worker with a chance in proportion to its weight, whatever its load."""

    name: ClassVar[str] = "random"
    meaning: ClassVar[str] = "draws any open worker, by weight, whatever its load"

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        return draw(candidates, call.rng)


def draw(candidates: Candidates, rng: random.Random) -> Candidate | None:
    """One of the candidates in proportion to its weight (1 at most), without a look at all of them.

    Rejection sampling: any worker, accepted with a chance of its weight, else another draw. After `TRIES`
    refusals one of those refused, by weight.
    """
    refused: list[Candidate] = []
    while len(refused) < TRIES:
        drawn = next(candidates.at_random(rng), None)
        if drawn is None or drawn.weight >= 1 or rng.random() < drawn.weight:
            return drawn
        refused.append(drawn)
    return rng.choices(refused, [candidate.weight for candidate in refused])[0]
