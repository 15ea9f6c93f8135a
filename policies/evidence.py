"""What each ending teaches each policy: the one table.

| an attempt ended                   | breaker, ejector | latency  | limit    | retry budget | throttle |
|------------------------------------|------------------|----------|----------|--------------|----------|
| ok                                 | success          | whole    | sample   | deposit      | accept   |
| slow (judged by token times)       | slow             | whole    | sample   | deposit      | reject   |
| timeout: connect, first token, gap | failure          | at least | drop     | withdraw     | reject   |
| the call's deadline ran out on it  | (1)              | at least | (1)      | nothing      | reject   |
| error 5xx, reset, refused          | failure          | nothing  | drop     | withdraw     | reject   |
| overload 429, 503                  | nothing          | nothing  | decrease | withdraw     | reject   |
| error 4xx                          | success          | nothing  | nothing  | nothing      | accept   |
| rejected by us                     | nothing          | nothing  | nothing  | nothing      | reject   |
| abandoned: hedge lost, caller left | nothing          | (2)      | nothing  | nothing      | nothing  |

(1) failure and drop if the attempt took longer than the policy expects of a healthy worker, else nothing: a
caller with a tiny deadline must bench no worker for the others.
(2) at least, if it took longer than that, else nothing.

Overload is not failure: busy is not broken. A slow answer is no accept: it was not within what was promised.
"""

from enum import Enum, auto
from typing import NamedTuple

from policies.outcome import Kind, Outcome


class Evidence(Enum):
    """What a worker is judged by."""

    SUCCESS = auto()
    SLOW = auto()
    FAILURE = auto()
    NOTHING = auto()


class Sample(Enum):
    """What the time that an attempt took says of the worker's latency."""

    WHOLE = auto()  # it is a sample
    AT_LEAST = auto()  # a sample would have been longer
    NOTHING = auto()


class Signal(Enum):
    """What a concurrency limit learns."""

    SAMPLE = auto()
    DROP = auto()
    DECREASE = auto()
    NOTHING = auto()  # only the permit comes back


class Credit(Enum):
    """What a retry budget learns."""

    DEPOSIT = auto()
    WITHDRAW = auto()  # if another attempt follows
    NOTHING = auto()


class Answer(Enum):
    """What a throttle learns. The call itself was counted when it began."""

    ACCEPT = auto()
    REJECT = auto()
    NOTHING = auto()  # as if the call had not been


class Lesson(NamedTuple):
    """One row of the table."""

    worker: Evidence
    latency: Sample
    limit: Signal
    budget: Credit
    throttle: Answer


_OK = Lesson(Evidence.SUCCESS, Sample.WHOLE, Signal.SAMPLE, Credit.DEPOSIT, Answer.ACCEPT)
_SLOW = Lesson(Evidence.SLOW, Sample.WHOLE, Signal.SAMPLE, Credit.DEPOSIT, Answer.REJECT)
_TIMEOUT = Lesson(Evidence.FAILURE, Sample.AT_LEAST, Signal.DROP, Credit.WITHDRAW, Answer.REJECT)
_DEADLINE = Lesson(Evidence.NOTHING, Sample.AT_LEAST, Signal.NOTHING, Credit.NOTHING, Answer.REJECT)
_OVERDUE = _DEADLINE._replace(worker=Evidence.FAILURE, limit=Signal.DROP)
_ERROR = Lesson(Evidence.FAILURE, Sample.NOTHING, Signal.DROP, Credit.WITHDRAW, Answer.REJECT)
_OVERLOAD = Lesson(Evidence.NOTHING, Sample.NOTHING, Signal.DECREASE, Credit.WITHDRAW, Answer.REJECT)
_CLIENT_ERROR = Lesson(Evidence.SUCCESS, Sample.NOTHING, Signal.NOTHING, Credit.NOTHING, Answer.ACCEPT)
_REJECTED = Lesson(Evidence.NOTHING, Sample.NOTHING, Signal.NOTHING, Credit.NOTHING, Answer.REJECT)
_ABANDONED = Lesson(Evidence.NOTHING, Sample.NOTHING, Signal.NOTHING, Credit.NOTHING, Answer.NOTHING)
_OUTWAITED = _ABANDONED._replace(latency=Sample.AT_LEAST)

_BY_KIND = {
    Kind.OK: _OK,
    Kind.SLOW: _SLOW,
    Kind.TIMEOUT: _TIMEOUT,
    Kind.ERROR: _ERROR,
    Kind.OVERLOAD: _OVERLOAD,
    Kind.REJECTED: _REJECTED,
    Kind.ABANDONED: _ABANDONED,
}


def lesson(outcome: Outcome, *, overdue: bool = False) -> Lesson:
    """What `outcome` teaches. `overdue`: it took longer than expected of a healthy worker."""
    if outcome.kind is Kind.TIMEOUT and outcome.phase == "total":
        return _OVERDUE if overdue else _DEADLINE
    if outcome.kind is Kind.ERROR and 400 <= outcome.status < 500:
        return _CLIENT_ERROR
    if outcome.kind is Kind.ABANDONED and overdue:
        return _OUTWAITED
    return _BY_KIND[outcome.kind]
