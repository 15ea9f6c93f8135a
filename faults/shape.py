"""How strong a fault is as time goes by: constant, ramp, flapping, intermittent.

A shape is a list of changes: from this moment on, this share of the fault's magnitude. The fault follows it
wherever it lives, and the history says each change.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import count
from math import inf, isfinite
from typing import ClassVar

SHORTEST_S = 0.01  # of what comes again and again: each change is a call to a worker or a server
Change = tuple[float, float]  # seconds since the fault began, level from then on


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The whole fault at once, until it is taken away."""

    name: ClassVar[str] = "constant"
    meaning: ClassVar[str] = "the whole fault at once, until it is taken away"

    def changes(self) -> Iterator[Change]:
        """Levels from 0 (nothing of it) to 1 (as asked), the first at 0 s, times rising. May never end."""
        yield 0.0, 1.0

    def __str__(self) -> str:
        """As it is written in a command line; attributes that are as they would be anyway are left out."""
        changed = (f for f in fields(self) if getattr(self, f.name) != f.default)
        values = ", ".join(f"{f.name}={getattr(self, f.name):g}" for f in changed)
        return f"{self.name}({values})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramp(Shape):
    """Rises from `from_ratio` over `rise_s`, stays for `hold_s`, and falls back over `fall_s`.

    With `hold_s` left out it stays until it is taken away, at once. In `STEPS` equal steps each way.
    """

    name: ClassVar[str] = "ramp"
    meaning: ClassVar[str] = "rises over rise_s, stays for hold_s, then recovers over fall_s (0: at once)"
    STEPS: ClassVar[int] = 20

    rise_s: float = 5.0
    from_ratio: float = 0.0
    hold_s: float = inf
    fall_s: float = 0.0

    def __post_init__(self) -> None:
        _check("ramp: rise_s", self.rise_s)
        _check("ramp: fall_s", self.fall_s)
        if not 0 <= self.from_ratio <= 1:
            raise ValueError(f"ramp: from_ratio must be 0 to 1, got {self.from_ratio}")
        if not self.hold_s >= 0:
            raise ValueError(f"ramp: hold_s must be 0 s or more, got {self.hold_s}")

    def changes(self) -> Iterator[Change]:
        yield from self._slope(0.0, self.rise_s, self.from_ratio, 1.0)
        if isfinite(self.hold_s):
            yield from self._slope(self.rise_s + self.hold_s, self.fall_s, 1.0, 0.0)

    def _slope(self, start_s: float, length_s: float, before: float, after: float) -> Iterator[Change]:
        """Each step stands for the middle of its stretch; a slope of no length is its end."""
        if length_s > 0:
            for step in range(self.STEPS):
                share = (step + 0.5) / self.STEPS
                yield start_s + step * length_s / self.STEPS, before + (after - before) * share
        yield start_s + length_s, after


@dataclass(frozen=True, slots=True, kw_only=True)
class Flapping(Shape):
    """On for `on_s`, off for `off_s`, and so on: a clock that throttles, a cable that is loose."""

    name: ClassVar[str] = "flapping"
    meaning: ClassVar[str] = "on for on_s, off for off_s, again and again"

    on_s: float = 5.0
    off_s: float = 5.0

    def __post_init__(self) -> None:
        _check("flapping: on_s", self.on_s, SHORTEST_S)
        _check("flapping: off_s", self.off_s, SHORTEST_S)

    def changes(self) -> Iterator[Change]:
        for round_ in count():
            start_s = round_ * (self.on_s + self.off_s)
            yield start_s, 1.0
            yield start_s + self.on_s, 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Intermittent(Shape):
    """On and off for exponential times with means `on_s` and `off_s`; the same `seed`, the same schedule."""

    name: ClassVar[str] = "intermittent"
    meaning: ClassVar[str] = "on and off by chance, for on_s and off_s on average, the same for a seed"

    on_s: float = 2.0
    off_s: float = 8.0
    seed: int = 1

    def __post_init__(self) -> None:
        _check("intermittent: on_s", self.on_s, SHORTEST_S)
        _check("intermittent: off_s", self.off_s, SHORTEST_S)

    def changes(self) -> Iterator[Change]:
        rng = random.Random(f"intermittent {self.seed}")
        at_s = 0.0
        while True:
            yield at_s, 1.0
            at_s += rng.expovariate(1 / self.on_s)
            yield at_s, 0.0
            at_s += rng.expovariate(1 / self.off_s)


CONSTANT = Shape()
SHAPES: dict[str, type[Shape]] = {shape.name: shape for shape in (Shape, Ramp, Flapping, Intermittent)}


def _check(what: str, value_s: float, least_s: float = 0.0) -> None:
    if not least_s <= value_s < inf:
        raise ValueError(f"{what} must be {least_s:g} s or more and finite, got {value_s}")
