"""How many attempts a worker of this pool was seen to serve at once, and so who found a seat free."""

from collections import defaultdict
from dataclasses import dataclass
from math import exp

LATELY_S = 2.0  # time constant of the mean number of seats in use: a line outlasts the change of places


class Seats:
    """An attempt past its first token and not yet at its end holds a seat for certain.

    The workers of a pool are taken to be alike. What was seen is forgotten after one to two spans.
    """

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._uses: dict[str, _Use] = defaultdict(_Use)
        self._span = 0.0  # number of the present one
        self._most = self._most_before = 0

    def taken(self, worker: str, now: float) -> None:
        """An attempt has its first token."""
        use = self._uses[worker]
        use.change(1, now)
        self._turn(now)
        self._most = max(self._most, use.held)

    def left(self, worker: str, now: float) -> None:
        """An attempt that had one has ended."""
        self._uses[worker].change(-1, now)

    def known(self, now: float) -> int:
        """The most that any worker served at once lately."""
        self._turn(now)
        return max(self._most, self._most_before)

    def free(self, worker: str, pending: int, now: float) -> bool:
        """Whether an attempt that is one of `pending` at a worker found a seat free, as far as can be told.

        Either there are enough for all of them, or half of the seats or more are not in use, now and on
        average: then it is no lack of seats that keeps the others waiting.
        """
        known, use = self.known(now), self._uses[worker]
        return pending <= known or 2 * max(use.held, use.mean(now)) <= known

    def _turn(self, now: float) -> None:
        span = now // self._span_s  # a float: there may be endlessly many of them
        if span > self._span:
            self._most_before = self._most if span == self._span + 1 else 0
            self._span, self._most = span, max((use.held for use in self._uses.values()), default=0)


@dataclass(slots=True)
class _Use:
    """Seats in use at one worker, now and on average; older times count less and less."""

    held: int = 0
    _mean: float = 0.0
    _since_s: float = 0.0

    def mean(self, now: float) -> float:
        return self.held + (self._mean - self.held) * exp((self._since_s - now) / LATELY_S)

    def change(self, by: int, now: float) -> None:
        self._mean, self._since_s = self.mean(now), now
        self.held += by
