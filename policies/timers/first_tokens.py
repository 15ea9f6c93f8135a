"""What first tokens take at the other workers, by length of prompt. Numbers in, numbers out."""

from collections import defaultdict

from policies.every import Every
from policies.peers import REFRESH_S, Peers


class FirstTokens:
    """Samples of the last `span_s` seconds. Nothing is said from fewer than `least` of other workers."""

    def __init__(self, span_s: float, least: int) -> None:
        self._least = least
        self._sizes: defaultdict[int, _OfSize] = defaultdict(lambda: _OfSize(span_s))

    def add(self, worker: str, prompt_tokens: int, seconds: float, now: float) -> None:
        """One sample, or a lower bound where nothing better will come."""
        self._sizes[_size(prompt_tokens)].add(worker, seconds, now)

    def elsewhere_s(self, worker: str, prompt_tokens: int, quantile: float, now: float) -> float | None:
        """What this quantile takes there, the median over the other workers; None if too little is known."""
        of_size = self._sizes.get(_size(prompt_tokens))
        if of_size is None or of_size.known_elsewhere(worker, now) < self._least:
            return None
        return of_size.peers.elsewhere_s(worker, 1, quantile, now)


class _OfSize:
    """Samples of prompts of about one length. They are counted once a second: counting costs the pool."""

    def __init__(self, span_s: float) -> None:
        self.peers = Peers(span_s)
        self._workers: dict[str, None] = {}
        self._known = 0
        self._count = Every()

    def add(self, worker: str, seconds: float, now: float) -> None:
        self._workers[worker] = None
        self.peers.add(worker, 1, seconds, now)

    def known_elsewhere(self, worker: str, now: float) -> int:
        if self._count.is_due(now, REFRESH_S):
            self._known = sum(self.peers.samples(each, now) for each in self._workers)
        return self._known - self.peers.samples(worker, now)


def _size(prompt_tokens: int) -> int:
    """Lengths within a factor of two are alike."""
    return max(prompt_tokens, 1).bit_length()
