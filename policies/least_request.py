"""The less loaded of a few drawn at random (power of two choices)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.policy import Call, Candidate, Picker


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

    def pick(self, call: Call, candidates: Sequence[Candidate]) -> Candidate:
        drawn = call.rng.sample(candidates, min(self.choices, len(candidates)))
        return min(drawn, key=_load)


def _load(candidate: Candidate) -> float:
    return (candidate.pending + 1) / candidate.weight
