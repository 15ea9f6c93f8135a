"""How often an experiment may be looked at, and how sure each look must be.

Looking again after more pairs is another chance to be wrong, so the looks share the error: without that, a
nominal 2.5 % becomes 5 %.
"""

from dataclasses import dataclass
from typing import Self

from harness.judging.pairs.signed_rank import smallest_error

STEP = 2  # pairs between two looks: both orders once


@dataclass(frozen=True, slots=True)
class Looks:
    """After how many pairs a verdict may be reached. `error`: of all looks together, two-sided."""

    after: tuple[int, ...]
    error: float

    @property
    def error_each(self) -> float:
        return self.error / len(self.after)

    @property
    def most(self) -> int:
        return self.after[-1]

    @classmethod
    def planned(cls, least: int, most: int, error: float, cells: int = 1) -> Self:
        """Looks from `least` to `most` pairs, as many as leave each of them able to decide `cells`.

        ValueError, saying how many pairs it takes, if even `most` of them cannot.
        """
        after = (*range(least, most, STEP), most)
        for first in range(len(after)):
            looks = cls(after[first:], error)
            if smallest_error(looks.after[0]) <= looks.error_each / cells:
                return looks
        needed = most
        while smallest_error(needed) > error / cells:
            needed += 1
        raise ValueError(
            f"{most} pairs cannot decide {cells} blocking objective{'s' * (cells > 1)} with {1 - error:.0%}"
            f" confidence: it takes {needed}"
        )
