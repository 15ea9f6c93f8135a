"""What the attempts at each worker say of its speed, next to its peers.

Two figures a worker: the time to the first token, among attempts of about the same prompt, and the time per
output token, among attempts with about as many side by side. The larger ratio is the worker's. An answer that
comes in one piece is compared as a whole, among those as long.

Attempts in flight count once they are older than is typical elsewhere: a slow one is else invisible until it
ends. The time to a first token counts only where a seat was free: chance makes a line for seats at one
healthy worker and not at the next.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from policies.call import Attempt
from policies.evidence import Sample, lesson
from policies.outcome import Kind, Outcome
from policies.outliers.seats import Seats
from policies.peers import Peers, Size

TYPICAL = 0.5  # quantile
TYPICAL_EVERY_S = 2.0  # healthy peers hardly change, and working it out is most of what this costs
WINDOW_S = 30.0


@dataclass(slots=True)
class PeerLatency:
    """Hears the attempts of a pipeline. `pending`: attempts in flight by worker."""

    pending: Mapping[str, int] = field(default_factory=Counter)
    _first: Peers = field(default_factory=lambda: _peers(WINDOW_S))
    _each: Peers = field(default_factory=lambda: _peers(WINDOW_S, near=True))
    _whole: Peers = field(default_factory=lambda: _peers(WINDOW_S))
    _seats: Seats = field(default_factory=lambda: Seats(WINDOW_S))
    _in_flight: dict[str, dict[Attempt, "_Start"]] = field(default_factory=lambda: defaultdict(dict))

    def bind(self, pending: Mapping[str, int], window_s: float) -> None:
        """`window_s`: how long a sample tells what is typical."""
        self.pending = pending
        self._first, self._each, self._whole = _peers(window_s), _peers(window_s, near=True), _peers(window_s)
        self._seats = Seats(window_s)

    def attempt_started(self, attempt: Attempt) -> None:
        worker = attempt.worker
        side_by_side = self.pending[worker]
        free = self._seats.free(worker, side_by_side, attempt.started_s)
        self._in_flight[worker][attempt] = _Start(side_by_side, free)

    def first_token(self, attempt: Attempt) -> None:
        """At the time of its first token."""
        now, call = attempt.first_token_s, attempt.call
        if now is None or not call.stream:
            return
        self._seats.taken(attempt.worker, now)
        start = self._in_flight[attempt.worker].get(attempt)
        if start is not None and start.seat_free:
            self._first.add(attempt.worker, call.prompt_tokens, attempt.age_s(now), now)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        if attempt.first_token_s is not None and attempt.call.stream:
            self._seats.left(attempt.worker, now)
        start = self._in_flight[attempt.worker].pop(attempt, None)
        if start is None or not _tells(attempt, start):
            return  # or it began before what is known of the worker was forgotten
        if outcome.answered and attempt.call.stream:
            taken: tuple[Peers, Size, float] = self._each, start.side_by_side, _per_gap_s(attempt)
        else:
            taken = self._so_far(attempt, start, now)
        peers, size, seconds = taken
        learned = lesson(outcome).latency
        if outcome.kind is Kind.ABANDONED:
            typical_s = peers.elsewhere_s(attempt.worker, size, TYPICAL, now)
            learned = lesson(outcome, overdue=typical_s is not None and seconds > typical_s).latency
        if seconds > 0 and learned is not Sample.NOTHING:
            peers.add(attempt.worker, size, seconds, now)

    def ratio(self, worker: str, now: float, judge_s: float, least: int) -> float | None:
        """How many times slower than its peers the worker was in the last `judge_s` seconds.

        None with fewer than `least` attempts to tell by; for these it looks further back.
        """
        still: dict[Peers, list[tuple[Size, float]]] = defaultdict(list)
        for attempt, start in self._in_flight[worker].items():
            if _tells(attempt, start) and self._may_be_late(attempt, start, now):
                peers, size, seconds = self._so_far(attempt, start, now)
                still[peers].append((size, seconds))
        ratios = (
            peers.ratio(worker, now, still[peers], since_s=now - judge_s, least=least)
            for peers in (self._first, self._each, self._whole)
        )
        return max((ratio for ratio in ratios if ratio is not None), default=None)

    def forget(self, worker: str) -> None:
        """Judge it anew, by attempts that begin from now on."""
        for peers in (self._first, self._each, self._whole):
            peers.forget(worker)
        self._in_flight.pop(worker, None)

    def _so_far(self, attempt: Attempt, start: "_Start", now: float) -> tuple[Peers, Size, float]:
        """Among what its time belongs, and the least that it comes to: silence since a token is time too."""
        call = attempt.call
        if not call.stream:
            return self._whole, (call.max_tokens, start.side_by_side), attempt.age_s(now)
        if attempt.first_token_s is None:
            return self._first, call.prompt_tokens, attempt.age_s(now)
        return self._each, start.side_by_side, (now - attempt.first_token_s) / max(attempt.tokens, 1)

    def _may_be_late(self, attempt: Attempt, start: "_Start", now: float) -> bool:
        """False if it cannot be, by what costs nothing: tokens so far may have to be asked of the transport.

        While tokens come, it is late when at its peers the longest answer asked for would have ended.
        """
        if attempt.first_token_s is None or not attempt.call.stream:
            return True
        typical_s = self._each.elsewhere_s(attempt.worker, start.side_by_side, TYPICAL, now)
        return typical_s is not None and now - attempt.first_token_s > typical_s * attempt.call.max_tokens


def _peers(window_s: float, *, near: bool = False) -> Peers:
    return Peers(window_s, near=near, refresh_s=TYPICAL_EVERY_S)


class _Start(NamedTuple):
    """What an attempt found at its worker. `side_by_side`: attempts in flight, itself included."""

    side_by_side: int
    seat_free: bool


def _tells(attempt: Attempt, start: _Start) -> bool:
    """Whether its time so far says something of the worker, and not of a line for seats."""
    return start.seat_free or (attempt.first_token_s is not None and attempt.call.stream)


def _per_gap_s(attempt: Attempt) -> float:
    """Mean time between the tokens of a whole answer, 0 without any gap."""
    if attempt.first_token_s is None or attempt.last_token_s is None or attempt.tokens < 2:
        return 0.0
    return (attempt.last_token_s - attempt.first_token_s) / (attempt.tokens - 1)
