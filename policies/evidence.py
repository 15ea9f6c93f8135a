"""What an outcome says about the worker that was waited on: the one table.

| outcome                                   | a breaker learns |
|-------------------------------------------|------------------|
| ok                                        | success          |
| slow                                      | slow             |
| timeout: connect, first token, gap, whole | failure          |
| timeout: the call's own deadline          | nothing (a tiny one must bench no worker) |
| error 5xx, reset, refused                 | failure          |
| error 4xx                                 | success (the worker is alive, the request was wrong) |
| overload 429, 503                         | nothing (busy is not broken) |
| rejected by us, abandoned                 | nothing          |
"""

from enum import Enum, auto

from policies.outcome import Kind, Outcome


class Evidence(Enum):
    """What a worker is judged by."""

    SUCCESS = auto()
    SLOW = auto()
    FAILURE = auto()
    NOTHING = auto()


_BY_KIND = {
    Kind.OK: Evidence.SUCCESS,
    Kind.SLOW: Evidence.SLOW,
    Kind.TIMEOUT: Evidence.FAILURE,
    Kind.ERROR: Evidence.FAILURE,
    Kind.OVERLOAD: Evidence.NOTHING,
    Kind.REJECTED: Evidence.NOTHING,
    Kind.ABANDONED: Evidence.NOTHING,
}


def evidence(outcome: Outcome) -> Evidence:
    """Evidence about the worker of an attempt that ended with `outcome`."""
    if outcome.kind is Kind.TIMEOUT and outcome.phase == "total":
        return Evidence.NOTHING
    if outcome.kind is Kind.ERROR and 400 <= outcome.status < 500:
        return Evidence.SUCCESS
    return _BY_KIND[outcome.kind]
