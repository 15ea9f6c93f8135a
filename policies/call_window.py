"""What became of the calls of the last seconds: numbers in, numbers out.

A call is counted when it starts, and its ending where it was counted, so that calls and accepts are about the
same calls however long they take. One that outlives the window is counted where it ends: nothing is lost.
"""

from collections import deque
from dataclasses import dataclass

from policies.evidence import Answer

BUCKETS = 20  # the window forgets in steps of a twentieth of its span
SHORTEST_S = 1e-9  # of a step; any shorter one holds what happens at one moment, as this does


@dataclass(slots=True, eq=False)
class _Bucket:
    """Calls that started in one step of the window: `accepted` of the `judged` of the `started`."""

    index: int
    started: int = 0
    judged: int = 0
    accepted: int = 0
    gone: bool = False


@dataclass(slots=True, eq=False)
class Ticket:
    """One call that was counted. `judged`: it is known already that it is no accept."""

    started_s: float
    bucket: _Bucket
    judged: bool = False


class CallWindow:
    """Counts of the calls that started in the last `span_s` seconds, give or take one bucket.

    Attributes:
        started: calls, those still out included.
        judged: those of which it is known whether they were accepted.
        accepted: of these.
    """

    def __init__(self, span_s: float) -> None:
        self._bucket_s = max(span_s / BUCKETS, SHORTEST_S)
        self._buckets: deque[_Bucket] = deque()
        self.started = self.judged = self.accepted = 0

    def move_to(self, now: float) -> None:
        """Forget what is too old by `now`. Counts are as of the latest of these and of `start`."""
        oldest = self._index(now) - BUCKETS + 1
        while self._buckets and self._buckets[0].index < oldest:
            bucket = self._buckets.popleft()
            self._add(bucket, -bucket.started, -bucket.judged, -bucket.accepted)
            bucket.gone = True

    def seen_for_s(self, now: float) -> float:
        """How far back the counts reach."""
        return now - self._buckets[0].index * self._bucket_s if self._buckets else 0.0

    def start(self, now: float) -> Ticket:
        """Count a call."""
        self.move_to(now)
        index = self._index(now)
        if not self._buckets or self._buckets[-1].index < index:
            self._buckets.append(_Bucket(index))
        self._add(self._buckets[-1], 1, 0, 0)
        return Ticket(now, self._buckets[-1])

    def overdue(self, ticket: Ticket) -> None:
        """The call is still out, and whatever comes of it, it will be no accept."""
        if not ticket.judged:
            self._add(ticket.bucket, 0, 1, 0)
            ticket.judged = True

    def end(self, ticket: Ticket, answer: Answer, now: float) -> None:
        """Count the ending of a call. Once for each ticket."""
        self.move_to(now)
        if answer is Answer.NOTHING:
            self._add(ticket.bucket, -1, -ticket.judged, 0)
            return
        if ticket.bucket.gone:
            ticket = self.start(now)
        self._add(ticket.bucket, 0, not ticket.judged, answer is Answer.ACCEPT)

    def _add(self, bucket: _Bucket, started: int, judged: int, accepted: int) -> None:
        if bucket.gone:
            return
        bucket.started += started
        bucket.judged += judged
        bucket.accepted += accepted
        self.started += started
        self.judged += judged
        self.accepted += accepted

    def _index(self, now: float) -> int:
        return int(now // self._bucket_s)
