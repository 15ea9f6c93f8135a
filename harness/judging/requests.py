"""Everything that the history says about one request, joined; and the check that none was lost.

Offered = the sum of all outcomes. Only then do the shares that judges compute mean anything.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from harness.judging.history import Arrived, Attempted, Ended, History
from harness.judging.windows import Window
from policies.outcome import Kind

HUNG = "hung"  # still open when the run ended
KINDS = (*(str(kind) for kind in Kind), HUNG)
ANSWERED = frozenset({str(Kind.OK), str(Kind.SLOW)})

R = TypeVar("R", Arrived, Ended)


@dataclass(frozen=True, slots=True)
class Request:
    """One request from its intended send time to its end, with its attempts in order."""

    arrived: Arrived
    ended: Ended
    attempts: tuple[Attempted, ...]

    @property
    def answered(self) -> bool:
        """Whole, or as much as its caller wanted."""
        return self.ended.kind in ANSWERED or self.ended.satisfied

    def met(self, workers: Collection[str]) -> bool:
        """Whether one of its attempts went to one of `workers`."""
        return any(attempt.worker in workers for attempt in self.attempts)

    @property
    def elapsed_s(self) -> float:
        """From the intended send time to the end, whatever the end was."""
        return self.ended.at_s - self.arrived.intended_s

    @property
    def e2e_s(self) -> float:
        """`elapsed_s` of an answered request, infinity of any other."""
        return self.elapsed_s if self.answered else float("inf")

    @property
    def first_token_s(self) -> float:
        """From the intended send time to the first content, infinity if none came."""
        first = self.ended.first_token_s
        return float("inf") if first is None else first - self.arrived.intended_s


def join(history: History) -> list[Request]:
    """All requests in order of their intended send time. ValueError if the records do not add up."""
    arrived = _once("arrived", history.of(Arrived))
    ended = _once("ended", history.of(Ended))
    _check_conservation(arrived, ended)
    attempts: dict[str, list[Attempted]] = {}
    for attempt in history.of(Attempted):
        if attempt.request not in arrived:
            raise ValueError(
                f"the history does not add up: an attempt of request {attempt.request!r}, which never arrived"
            )
        attempts.setdefault(attempt.request, []).append(attempt)
    requests = (Request(a, ended[name], _in_order(attempts.get(name, ()))) for name, a in arrived.items())
    return sorted(requests, key=_intended_s)


def sent_within(requests: Sequence[Request], window: Window) -> Sequence[Request]:
    """Those meant to be sent in `window`, of `requests` in order of their intended send time."""
    first = bisect_left(requests, window.start_s, key=_intended_s)
    return requests[first : bisect_left(requests, window.end_s, lo=first, key=_intended_s)]


def count_outcomes(requests: Sequence[Request]) -> dict[str, int]:
    """How many requests ended how; kinds that did not occur are left out."""
    counts = Counter(request.ended.kind for request in requests)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _in_order(attempts: Sequence[Attempted]) -> tuple[Attempted, ...]:
    return tuple(attempts if len(attempts) < 2 else sorted(attempts, key=lambda each: each.started_s))


def _intended_s(request: Request) -> float:
    return request.arrived.intended_s


def _once(what: str, records: Iterable[R]) -> dict[str, R]:
    by_name: dict[str, R] = {}
    for record in records:
        if record.request in by_name:
            raise ValueError(f"the history does not add up: request {record.request!r} {what} twice")
        by_name[record.request] = record
    return by_name


def _check_conservation(arrived: Mapping[str, Arrived], ended: Mapping[str, Ended]) -> None:
    lost, unasked = arrived.keys() - ended.keys(), ended.keys() - arrived.keys()
    if lost or unasked:
        name = min(lost or unasked)
        raise ValueError(
            f"the history does not add up: {len(arrived)} requests offered, {len(ended)} outcomes; "
            f"for example {name!r} {'never ended' if lost else 'never arrived'}"
        )
    strange = {end.kind for end in ended.values()} - set(KINDS)
    if strange:
        raise ValueError(f"the history does not add up: unknown outcome {min(strange)!r}")
