"""How many attempts a worker of this pool was seen to serve at once, and so who found a seat free."""

from collections import Counter


class Seats:
    """An attempt past its first token and not yet at its end holds a seat for certain.

    The workers of a pool are taken to be alike. What was seen is forgotten after one to two spans.
    """

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._held: Counter[str] = Counter()
        self._span = 0  # number of the present one
        self._most = self._most_before = 0

    def taken(self, worker: str, now: float) -> None:
        """An attempt has its first token."""
        self._held[worker] += 1
        self._turn(now)
        self._most = max(self._most, self._held[worker])

    def left(self, worker: str) -> None:
        """An attempt that had one has ended."""
        self._held[worker] -= 1

    def known(self, now: float) -> int:
        """The most that any worker served at once lately."""
        self._turn(now)
        return max(self._most, self._most_before)

    def free(self, worker: str, pending: int, now: float) -> bool:
        """Whether an attempt that is one of `pending` at a worker found a seat free, as far as can be told.

        Either there are enough for all of them, or half of the seats or more are not in use: then it is no
        lack of seats that keeps the others waiting.
        """
        known = self.known(now)
        return pending <= known or 2 * self._held[worker] <= known

    def _turn(self, now: float) -> None:
        span = int(now // self._span_s)
        if span > self._span:
            self._most_before = self._most if span == self._span + 1 else 0
            self._span, self._most = span, max(self._held.values(), default=0)
