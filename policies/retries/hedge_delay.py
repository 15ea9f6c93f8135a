"""After how long an attempt has taken too long, by the measure of its worker's peers."""

from collections import defaultdict
from dataclasses import dataclass, field

from policies.call import Attempt
from policies.peers import REFRESH_S, Peers

SPAN_S = 60.0  # samples older than this say nothing of now


@dataclass(slots=True)
class HedgeDelay:
    """A quantile of what first tokens, or whole answers that do not stream, take at the other workers.

    The worker's own past is left out: hedges against a slow worker would come the later the slower it is.
    """

    quantile: float
    min_samples: int  # of attempts of about the same size, at the other workers
    _known: "dict[tuple[bool, int], _Known]" = field(default_factory=lambda: defaultdict(_Known))

    def learn(self, attempt: Attempt, now: float) -> None:
        """The first content has come, which is all of an answer that does not stream."""
        size = _size(attempt)
        self._known[_alike(attempt, size)].add(attempt.worker, size, attempt.age_s(now), now)

    def after_s(self, attempt: Attempt, now: float) -> float | None:
        """Seconds from the start of `attempt`; None while too little is known of its worker's peers."""
        size = _size(attempt)
        known = self._known.get(_alike(attempt, size))
        if known is None or known.elsewhere(attempt.worker, now) < self.min_samples:
            return None
        return known.peers.elsewhere_s(attempt.worker, size, self.quantile, now)


def _size(attempt: Attempt) -> int:
    """What the time depends on most, in tokens."""
    return attempt.call.prompt_tokens if attempt.call.stream else attempt.call.max_tokens


def _alike(attempt: Attempt, size: int) -> tuple[bool, int]:
    """Attempts that can be compared: one kind of time, and sizes within a power of two."""
    return attempt.call.stream, size.bit_length()


class _Known:
    """Samples of every worker, and their number, which is worked out once in a while."""

    def __init__(self) -> None:
        self.peers = Peers(SPAN_S)
        self._workers: set[str] = set()
        self._total = 0
        self._until_s = float("-inf")

    def add(self, worker: str, size: int, seconds: float, now: float) -> None:
        self.peers.add(worker, size, seconds, now)
        self._workers.add(worker)

    def elsewhere(self, worker: str, now: float) -> int:
        """Samples of the other workers."""
        if now >= self._until_s:
            self._total = sum(self.peers.samples(each, now) for each in self._workers)
            self._until_s = now + REFRESH_S
        return self._total - self.peers.samples(worker, now)
