"""How large a fault is: a number, or so many times the caller's own timeout.

Damage is not monotonic: a delay just under a timeout holds every slot for its whole length, one just above it
is cut off. So the telling sizes are 0.5, 0.95, 1.05 and 3 times the timeout, whatever it is.
"""

from math import inf, isfinite, nan

MOST = 1e9  # of anything: clocks, timers and toxics can still count so far


class OfTimeout(float):
    """A number of seconds that is not known before the timeout is; until then its value is NaN."""

    ratio: float

    def __new__(cls, ratio: float) -> "OfTimeout":
        """ValueError unless `ratio` is above 0 and finite."""
        if not 0 < ratio < inf:
            raise ValueError(f"{ratio:g}timeout: expected a share of the timeout above 0, as 0.95timeout")
        made = super().__new__(cls, nan)
        made.ratio = ratio
        return made

    def __repr__(self) -> str:
        return f"{self.ratio:g}timeout"

    def __format__(self, spec: str) -> str:
        return repr(self)

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OfTimeout) and self.ratio == other.ratio

    def __hash__(self) -> int:
        return hash(("of timeout", self.ratio))


def seconds(value: float, timeout_s: float) -> float:
    """`value`, or what it is of `timeout_s`. ValueError if there is no timeout to measure by."""
    if not isinstance(value, OfTimeout):
        return value
    if not isfinite(timeout_s):
        raise ValueError(f"{value} needs a policy with a timeout of attempts; without one give seconds")
    return value.ratio * timeout_s


def check(what: str, value: float, least: float, most: float = MOST, *, above: bool = False) -> None:
    """ValueError unless least <= value <= most; `above`: unless least < value.

    What is a share of the timeout passes: it is checked again once it is a number.
    """
    if isinstance(value, OfTimeout):
        return
    low = least < value if above else least <= value
    if not (low and value <= most):
        wanted = f"above {least:g}" if above else f"{least:g} or more"
        raise ValueError(f"{what} must be {wanted} and at most {most:.10g}, got {value}")
