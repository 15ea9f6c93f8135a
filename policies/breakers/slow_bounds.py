"""When an attempt counts as slow, judged by its tokens and, while it is in flight, by its age."""

from dataclasses import dataclass

from policies.call import Attempt

MIN_GAPS = 4  # one hiccup after the first token must not speak for the whole answer


@dataclass(frozen=True, slots=True)
class SlowBounds:
    """Bounds in seconds; infinity switches one off.

    Attributes:
        ttft_s: from sending to the first content token.
        tpot_s: mean time per output token after the first, so that long answers are not slow ones.
    """

    ttft_s: float
    tpot_s: float

    @property
    def soonest_s(self) -> float:
        """The age below which no attempt can be slow yet."""
        return min(self.ttft_s, MIN_GAPS * self.tpot_s)

    def slow_from_s(self, attempt: Attempt) -> float:
        """Loop time from which an attempt in flight is slow unless another token comes first."""
        return self._slow_from_s(attempt, attempt.tokens)

    def slow_at_least_from_s(self, attempt: Attempt) -> float:
        """The same by what is known without asking the transport, so perhaps sooner."""
        return self._slow_from_s(attempt, attempt.tokens_so_far)

    def slow_soonest_s(self, attempt: Attempt, now: float) -> float:
        """The same whatever was handed over, and whatever may come from now on, so perhaps sooner still."""
        slow_from_s = self._slow_from_s(attempt, 0)
        if attempt.call.stream and attempt.first_token_s is None:
            # Once the first token has come its gaps count, and they may allow less than was left for it.
            return min(slow_from_s, now + MIN_GAPS * self.tpot_s)
        return slow_from_s

    def was_slow(self, attempt: Attempt, ended_s: float) -> bool:
        """Whether an attempt that was answered whole took too long per token."""
        end_s = ended_s if attempt.last_token_s is None else attempt.last_token_s
        return self._slow_from_s(attempt, attempt.tokens - 1) < end_s

    def _slow_from_s(self, attempt: Attempt, gaps: int) -> float:
        first_by_s = attempt.started_s + self.ttft_s
        if not attempt.call.stream:
            # The tokens come all at once at the end; until then the longest answer asked for is all there is.
            return first_by_s + self.tpot_s * (attempt.tokens or attempt.call.max_tokens)
        if attempt.first_token_s is None or attempt.first_token_s > first_by_s:
            return first_by_s
        return attempt.first_token_s + self.tpot_s * max(gaps, MIN_GAPS)
