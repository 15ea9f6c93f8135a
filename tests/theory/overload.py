"""One worker of 100 requests/s that loses most of its capacity for a while, and callers with a timeout.

For retries and recovery. A timed-out attempt leaves its work behind in the queue, unless the worker hears of
it: then it is taken out, which is what our worker does by itself.
"""

import asyncio
import random
from array import array
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import fmean

from faults.engine.slow_steps import SlowSteps
from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.load.callers import Planned, cancel_all, send_open_loop
from harness.serving.batcher import Batcher
from harness.serving.engine import Sequence
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from harness.serving.worker import Worker
from policies.call import Attempt
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Layer
from policies.timers.timers import Timers
from tests.theory.queueing_parts import UNBOUNDED, Census, inside, new_call, one_at_a_time, running

CAPACITY_RPS = 100.0
TIMEOUT_S = 1.0
FAULT_FROM_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """What happens in one run. `left_ratio` of the capacity is left for `fault_s`; watched `after_s` more.

    Attributes:
        layers: made afresh for each run.
        hears: the worker is told of a timeout, and drops the work.
        newest_first: the worker serves its queue from the end.
    """

    arrivals_rps: float
    left_ratio: float
    fault_s: float
    after_s: float
    layers: tuple[Layer, ...] = ()
    hears: bool = False
    newest_first: bool = False

    @property
    def healed_s(self) -> float:
        return FAULT_FROM_S + self.fault_s

    @property
    def ends_s(self) -> float:
        return self.healed_s + self.after_s


@dataclass(slots=True)
class Story:
    """The requests: when each was sent, of how many attempts it was made, whether it was answered."""

    sent_s: "array[float]" = field(default_factory=lambda: array("d"))
    attempts: "array[int]" = field(default_factory=lambda: array("i"))
    answered: bytearray = field(default_factory=bytearray)

    def answered_ratio(self, from_s: float) -> float:
        """Of the requests sent from `from_s` on."""
        return self._mean(self.answered, from_s)

    def amplification(self, from_s: float) -> float:
        """Attempts per request, of those sent from `from_s` on."""
        return self._mean(self.attempts, from_s)

    def first_answered_s(self, from_s: float) -> float:
        """When the first request was sent, from `from_s` on, that got its answer."""
        return next(at for at, ok in zip(self.sent_s, self.answered, strict=True) if ok and at >= from_s)

    def _mean(self, values: Iterable[int], from_s: float) -> float:
        return fmean(value for at, value in zip(self.sent_s, values, strict=True) if at >= from_s)


class NewestFirst(Batcher):
    """Seats the last that came."""

    def offer(self, sequence: Sequence) -> bool:
        if taken := super().offer(sequence):
            self.waiting.rotate()
        return taken


class AttemptLink:
    """Straight into the worker. One that does not hear serves what its caller has abandoned all the same."""

    def __init__(self, worker: Worker, census: Census, *, hears: bool) -> None:
        self._worker = worker
        self._census = census
        self._hears = hears
        self._numbers = count()
        self._serving: set[asyncio.Task[Outcome]] = set()

    async def send(self, attempt: Attempt) -> Outcome:
        stay = self._census.visit(self._worker.handle(new_call(next(self._numbers))))
        if self._hears:
            return await stay
        task = asyncio.create_task(stay)
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Nobody serves what is left."""
        await cancel_all(self._serving)


def play(overload: Overload, seed: int) -> Story:
    """One run. Little's law is asserted on the worker, work that nobody waits for included."""
    return run_virtual(_play(overload, seed))


async def _play(overload: Overload, seed: int) -> Story:
    story = Story()
    service = random.Random(f"service {seed}")
    worker = one_at_a_time("worker-0", lambda: service.expovariate(CAPACITY_RPS))
    if overload.newest_first:
        worker.seats.batcher = NewestFirst(1, UNBOUNDED)
    # One that was cancelled keeps its place until the next step.
    census = Census(None if overload.hears else lambda: inside(worker))
    link = AttemptLink(worker, census, hears=overload.hears)
    async with running(worker), _slowed(worker, overload):
        await _callers(overload, link, story, seed)
        census.assert_little()
        await link.close()
    return story


async def _callers(overload: Overload, link: AttemptLink, story: Story, seed: int) -> None:
    pipeline = Pipeline(layers=overload.layers, timers=Timers(attempt_s=TIMEOUT_S))
    gateway = Gateway(pipeline, {"worker-0": link}, Recorder(NoHistory()), seed)
    times_s = poisson(overload.arrivals_rps, 0.0, overload.ends_s, random.Random(f"arrivals {seed}"))
    story.sent_s.extend(times_s)
    story.attempts.extend(bytes(len(times_s)))
    story.answered.extend(bytes(len(times_s)))

    async def send(planned: Planned) -> None:
        call = new_call(planned.number)
        story.answered[planned.number] = (await gateway.handle(call)).answered
        story.attempts[planned.number] = call.attempts

    left = await send_open_loop((Planned(at, "", n) for n, at in enumerate(times_s)), send, 0.0)
    if left:
        await asyncio.wait(left)


@asynccontextmanager
async def _slowed(worker: Worker, overload: Overload) -> AsyncIterator[None]:
    """The fault comes in its time and ends with its lease."""
    fault = SlowSteps(factor=1 / overload.left_ratio)
    timer = asyncio.get_running_loop().call_at(FAULT_FROM_S, worker.inject, fault, overload.fault_s)
    yield
    timer.cancel()
