"""What a worker says of its load when it is asked: requests in flight, and how long they take at that number.

As the server side of Prequal (Wydrowski et al., NSDI 2024): a latency without the load it was seen at says
little of a worker whose load has changed.
"""

import asyncio
from collections import deque
from statistics import median

from harness.serving.worker import Worker
from policies.call import Call
from policies.outcome import Outcome
from policies.pool import Load

KEEP = 16  # latest requests
FORGET_S = 10.0  # a worker that nobody asks because it was slow must not be slow for ever


class LatencyByLoad:
    """Numbers in, number out: the latest requests, by how many were in flight when they came."""

    def __init__(self) -> None:
        self._latest: deque[tuple[float, int, float]] = deque(maxlen=KEEP)

    def add(self, in_flight: int, seconds: float, now: float) -> None:
        self._latest.append((now, in_flight, seconds))

    def add_at_least(self, in_flight: int, seconds: float, now: float) -> None:
        """Of a request that was given up: it counts where it took longer than is usual."""
        usual_s = self.typical_s(in_flight, now)
        if usual_s is None or seconds > usual_s:
            self.add(in_flight, seconds, now)

    def typical_s(self, in_flight: int, now: float) -> float | None:
        """The median over the requests with about that number, or off by one. None without any."""
        latest = self._latest
        while latest and latest[0][0] < now - FORGET_S:
            latest.popleft()
        if not latest:
            return None
        far = [(abs(number - in_flight), seconds) for _, number, seconds in latest]
        nearest = max(1, min(far)[0])
        return median([seconds for off, seconds in far if off <= nearest])


class LoadReport:
    """The load of `worker`, whose calls come through `handle`."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._latencies = LatencyByLoad()
        self._said = worker.reports.add(self._load)

    @property
    def in_flight(self) -> int:
        """Requests that run, or seem to, or wait."""
        return self._worker.seats.shown_running + len(self._worker.batcher.waiting)

    def load(self, now: float) -> Load:
        return self._said.read(now)

    def _load(self, now: float) -> Load:
        in_flight = self.in_flight
        return Load(in_flight=in_flight, latency_s=self._latencies.typical_s(in_flight, now))

    async def handle(self, call: Call) -> Outcome:
        """Have a call served, and remember what it took."""
        clock = asyncio.get_running_loop().time
        in_flight, arrived_s = self.in_flight, clock()
        try:
            outcome = await self._worker.handle(call)
        except asyncio.CancelledError:
            self._latencies.add_at_least(in_flight, clock() - arrived_s, clock())
            raise
        if outcome.answered:
            self._latencies.add(in_flight, clock() - arrived_s, clock())
        return outcome
