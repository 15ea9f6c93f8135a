"""The less loaded of a few drawn at random (power of two choices)."""

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.policy import Picker


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastRequest(Picker):
    """Draws `choices` distinct workers from the call's own chance and takes the least loaded for its weight.

    k workers that always lose among N still get the draws in which all choices are theirs: with two choices
    k(k-1)/(N(N-1)) of the traffic, nothing for a single slow worker. The order of the draw breaks ties.
    """

    name: ClassVar[str] = "least_request"
    meaning: ClassVar[str] = "draws a few workers and takes the one with the fewest attempts in flight"

    choices: int = 2

    def __post_init__(self) -> None:
        check(self, "choices", at_least=1, whole=True)

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        drawn = islice(candidates.at_random(call.rng), self.choices)
        return min(drawn, key=_load, default=None)


def _load(candidate: Candidate) -> float:
    return (candidate.pending + 1) / candidate.weight
