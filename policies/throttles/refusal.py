"""How a throttle says no."""

from policies.outcome import Kind, Outcome

TOO_MANY_REQUESTS, UNAVAILABLE = 429, 503
RETRY_AFTER_S = 1.0  # where chance decided: the next call may pass, so waiting longer gains nothing


def refusal(
    by: str, cause: str, *, status: int = UNAVAILABLE, retry_after_s: float | None = RETRY_AFTER_S
) -> Outcome:
    """The ending of a call that the policy `by` did not let in."""
    return Outcome(
        kind=Kind.REJECTED, phase="admission", cause=cause, by=by, status=status, retry_after_s=retry_after_s
    )
