"""How a call is refused before the pool."""

from policies.outcome import Kind, Outcome

TOO_MANY_REQUESTS, UNAVAILABLE = 429, 503
# Where chance decided, the next call may pass, so waiting longer gains nothing; and a bounded line moves on
# within a second, or the pool is too small.
RETRY_AFTER_S = 1.0


def refusal(
    by: str,
    cause: str,
    *,
    phase: str = "admission",
    status: int = UNAVAILABLE,
    retry_after_s: float | None = RETRY_AFTER_S,
) -> Outcome:
    """The ending of a call that the policy `by` did not let in."""
    return Outcome(
        kind=Kind.REJECTED, phase=phase, cause=cause, by=by, status=status, retry_after_s=retry_after_s
    )
