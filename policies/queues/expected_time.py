"""How long a call may be expected to take, from recent attempts. Numbers in, number out."""

from collections import deque
from collections.abc import Sequence
from statistics import median_low

from policies.every import Every
from policies.peers import KEEP, REFRESH_S, Peers

SPAN_S = 10.0  # nobody learns from what is refused: a wrong estimate has to die out by itself


class ExpectedTime:
    """Of a call that is yet to be sent, to whichever worker: the median over the workers.

    E[ttft | prompt size] + E[tpot | attempts in flight] * max_tokens. Waiting inside a worker is part of the
    time to first token as it is measured. The attempts in flight are those that the usual attempt of late
    found: the median, since what piles up on one slow worker would pull a mean to where only that one is.
    """

    def __init__(self, workers: Sequence[str], quantile: float) -> None:
        self._workers = workers
        self._quantile = quantile
        self._first = Peers(SPAN_S)  # by prompt tokens
        self._each = Peers(SPAN_S)  # by attempts in flight on the worker when it started
        self._starts: deque[int] = deque([1], maxlen=KEEP)
        self._samples = 0
        self._usual = 1
        self._count = Every()

    def add_start(self, in_flight: int) -> None:
        """An attempt started as one of so many on its worker."""
        self._starts.append(in_flight)

    def add_first(self, worker: str, prompt_tokens: int, seconds: float, now: float) -> None:
        """Time to first token, or a lower bound of it."""
        self._first.add(worker, prompt_tokens, seconds, now)

    def add_each(self, worker: str, in_flight: int, seconds: float, now: float) -> None:
        """Mean time per further token, or a lower bound of it."""
        self._each.add(worker, in_flight, seconds, now)

    def forget(self, worker: str) -> None:
        """What is known of a worker says nothing any more."""
        self._first.forget(worker)
        self._each.forget(worker)

    def first_s(self, prompt_tokens: int, now: float) -> float | None:
        """To the first token. None if no attempt of about that size is known."""
        return self._first.elsewhere_s("", prompt_tokens, self._quantile, now)

    def each_s(self, in_flight: int, now: float) -> float | None:
        """From one token to the next. None if no attempt beside about as many is known."""
        return self._each.elsewhere_s("", in_flight, self._quantile, now)

    def answer_s(self, prompt_tokens: int, max_tokens: int, now: float) -> float | None:
        """To the last token, or at least to the first if no more is known. None without even that."""
        self._refresh(now)
        first_s, each_s = self.first_s(prompt_tokens, now), self.each_s(self._usual, now)
        return None if first_s is None else first_s + (each_s or 0.0) * max_tokens

    def samples(self, now: float) -> int:
        """Times to first token that are known, of all workers."""
        self._refresh(now)
        return self._samples

    def _refresh(self, now: float) -> None:
        """Once in `REFRESH_S`: it costs the number of workers."""
        if self._count.is_due(now, REFRESH_S):
            self._samples = sum(self._first.samples(worker, now) for worker in self._workers)
            self._usual = median_low(self._starts)
