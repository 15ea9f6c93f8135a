"""A share of the calls of the last seconds, and a few each second besides.

balance = min_per_sec * ttl + ratio * calls begun - retries made, both within the last `ttl` seconds; a retry
needs a balance of 1. Time is cut into ten slices, and a slice goes as a whole.

Source: Finagle `RetryBudget` over `TokenBucket.newLeakyBucket`, where calls and retries both expire.
"""

from collections import deque

from policies.retries.account import ALMOST, Account, Rule

SLICES = 10
SHORTEST_S = 1e-9  # of a slice; any shorter one holds what happens at one moment, as this does


class FinagleBudget(Rule, Account):
    """`ratio`: retries paid for by a call. `min_per_sec`: retries a second that nobody need pay for."""

    def __init__(self, ratio: float, min_per_sec: float, ttl_s: float) -> None:
        self._ratio = ratio
        self._reserve = min_per_sec * ttl_s
        self._slice_s = max(ttl_s / SLICES, SHORTEST_S)
        self._slices: deque[list[int]] = deque()  # number of the slice, calls, retries
        self._calls = self._retries = 0  # in all slices

    def open(self, now: float) -> Account:
        self._slice(now)[1] += 1
        self._calls += 1
        return self

    def take(self, now: float) -> bool:
        current = self._slice(now)
        if self._balance() + ALMOST < 1:
            return False
        current[2] += 1
        self._retries += 1
        return True

    def balance(self, now: float) -> float:
        """Retries that could be made now, never negative: calls may expire before what they paid for."""
        self._slice(now)
        return max(0.0, self._balance())

    def _balance(self) -> float:
        return self._reserve + self._ratio * self._calls - self._retries

    def _slice(self, now: float) -> list[int]:
        """The slice of `now`, after those that are too old have gone."""
        number = int(now // self._slice_s)
        slices = self._slices
        while slices and slices[0][0] <= number - SLICES:
            _, calls, retries = slices.popleft()
            self._calls -= calls
            self._retries -= retries
        if not slices or slices[-1][0] != number:
            slices.append([number, 0, 0])
        return slices[-1]
