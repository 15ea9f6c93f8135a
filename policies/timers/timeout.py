"""The bounds that a client sets on a call: on each attempt, and on the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.policy import Policy
from policies.timers.deadline import Deadline
from policies.timers.expiry import NEVER
from policies.timers.timers import Timers


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout(Timers):
    """The timers of an attempt, with the defaults of an LLM client, and besides:

    Attributes:
        total_s: the whole call, whatever attempts it makes.
        per_token_s: so much more for each token asked for, so that long answers are not cut off.
    """

    name: ClassVar[str] = "timeout"
    meaning: ClassVar[str] = "bounds connect, first token, gap between tokens, attempt and whole call"

    connect_s: float = 2.0
    ttft_s: float = 10.0
    itl_s: float = 5.0
    attempt_s: float = NEVER
    total_s: float = 120.0
    per_token_s: float = 0.0

    def __post_init__(self) -> None:
        super(Timeout, self).__post_init__()  # slots: a bare super() would mean the class before it has them
        check(self, "total_s", above=0)
        check(self, "per_token_s", at_least=0)

    def brings(self) -> Sequence[Policy]:
        if self.total_s == NEVER:
            return ()
        return (Deadline(total_s=self.total_s, per_token_s=self.per_token_s, reserve_s=0.0),)
