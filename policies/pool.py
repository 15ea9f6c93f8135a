"""What a policy may know of the pool that its pipeline stands in front of."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a worker says of itself when asked.

    Attributes:
        in_flight: requests it has, running and waiting.
        latency_s: what its latest requests took at about this number in flight; None without any.
    """

    in_flight: int
    latency_s: float | None


# Asks a worker for its load, through its link. The answer, None without one, comes later.
Ask: TypeAlias = Callable[[str, Callable[[Load | None], None]], None]


def nobody_answers(worker: str, tell: Callable[[Load | None], None]) -> None:
    """The way to ask of a pipeline that is not in front of real workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The workers in pool order, with the attempts in flight on each from this gateway."""

    workers: Sequence[str] = ()
    pending: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    ask: Ask = nobody_answers

    def rng(self, purpose: str) -> random.Random:
        """Chance for one purpose alone."""
        return random.Random(f"{self.seed} {purpose}")
