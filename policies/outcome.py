"""How an attempt or a request ended, as a value. Refusals and failures are outcomes, never exceptions."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The seven endings. What each one teaches whom is the table in `evidence.py`."""

    OK = "ok"  # answered whole
    SLOW = "slow"  # answered whole, but slower than a bound, judged by token times
    TIMEOUT = "timeout"  # one of our own timers ran out
    ERROR = "error"  # refused connection, broken stream, 4xx or 5xx other than overload
    OVERLOAD = "overload"  # the far side said "busy": 429 or 503
    REJECTED = "rejected"  # we refused before sending anything
    ABANDONED = "abandoned"  # the one who waited left: cancelled, hedge lost, shutdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One ending.

    Attributes:
        phase: where time ran out or work stopped: `connect`, `first_token`, `between_tokens`, `attempt`,
            `total`, `queue`, `admission`; empty for a success.
        cause: one line for people.
        by: the hop or policy that decided it, for example `worker 2` or `breaker_window`.
        status: HTTP status to pass towards the caller, 0 where there was no answer to pass on.
        retry_after_s: how long the far side asks us to wait, None if it did not say.
    """

    kind: Kind
    phase: str = ""
    cause: str = ""
    by: str = ""
    status: int = 0
    retry_after_s: float | None = None

    @property
    def answered(self) -> bool:
        """Whether the caller has a whole answer."""
        return self.kind in (Kind.OK, Kind.SLOW)


OK = Outcome(kind=Kind.OK, status=200)
