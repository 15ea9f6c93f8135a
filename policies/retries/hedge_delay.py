"""After how long an attempt has taken too long, by the measure of its worker's peers."""

from policies.call import Attempt
from policies.timers.first_tokens import FirstTokens

SPAN_S = 60.0  # samples older than this say nothing of now


class HedgeDelay:
    """A quantile of what first tokens, or whole answers that do not stream, take at the other workers.

    The worker's own past is left out: hedges against a slow worker would come the later the slower it is.
    Nothing is said from fewer than `min_samples` attempts of about the same size at the others.
    """

    def __init__(self, quantile: float, min_samples: int) -> None:
        self._quantile = quantile
        self._streams = FirstTokens(SPAN_S, min_samples)  # by prompt tokens
        self._wholes = FirstTokens(SPAN_S, min_samples)  # by tokens asked for

    def learn(self, attempt: Attempt, now: float) -> None:
        """The first content has come, which is all of an answer that does not stream."""
        known, size = self._alike(attempt)
        known.add(attempt.worker, size, attempt.age_s(now), now)

    def after_s(self, attempt: Attempt, now: float) -> float | None:
        """Seconds from the start of `attempt`; None while too little is known of its worker's peers."""
        known, size = self._alike(attempt)
        return known.elsewhere_s(attempt.worker, size, self._quantile, now)

    def _alike(self, attempt: Attempt) -> tuple[FirstTokens, int]:
        """What attempts of its kind took, and that on which its own time depends most, in tokens."""
        call = attempt.call
        return (self._streams, call.prompt_tokens) if call.stream else (self._wholes, call.max_tokens)
