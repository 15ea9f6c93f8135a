"""What the studies put around our own parts: an engine of drawn times, load, and Little's law."""

import asyncio
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Protocol

from harness.load.callers import Planned, send_open_loop
from harness.serving.engine import Engine, Tokenizer
from harness.serving.engine import Sequence as Sequence_
from harness.serving.job import count_job
from harness.serving.model.byte_tokenizer import ByteTokenizer
from harness.serving.worker import Worker
from policies.call import Call
from policies.outcome import Outcome
from policies.policy import Next
from tests.theory.draws import Draw

UNBOUNDED = 10**9  # waiting places
EXACTLY = 1e-9  # relative: what is left of an identity after adding floats up


class TimedEngine(Engine, Protocol):
    """An engine that says how long its next step takes, in seconds."""

    def step_s(self, batch: Sequence[Sequence_]) -> float: ...


class DrawnEngine:
    """A step takes `step_s` of the batch."""

    def __init__(self, step_s: Callable[[Sequence[Sequence_]], float], max_num_seqs: int = 1) -> None:
        self.name = "drawn"
        self.max_num_seqs = max_num_seqs
        self.max_model_len = 2048
        self.tokenizer: Tokenizer = ByteTokenizer()
        self.step_s = step_s

    def step(self, batch: Sequence[Sequence_]) -> list[int]:
        return [0] * len(batch)

    def release(self, slot: int) -> None:
        """Nothing is cached."""


def worker_on(engine: TimedEngine, name: str = "worker-0") -> Worker:
    """A worker with an unbounded queue that asks `engine` once for each step."""

    async def compute(batch: list[Sequence_]) -> tuple[list[int], float]:
        return engine.step(batch), engine.step_s(batch)

    return Worker(name, engine, compute, max_queue=UNBOUNDED, read=count_job)


def one_at_a_time(name: str, draw: Draw) -> Worker:
    """A worker with one batch slot: one server, first come first served, service times from `draw`."""
    return worker_on(DrawnEngine(lambda _batch: draw()), name)


def inside(worker: Worker) -> int:
    """Requests in a worker, by its own books."""
    return len(worker.batcher.waiting) + len(worker.batcher.running)


@asynccontextmanager
async def running(*workers: Worker) -> AsyncIterator[None]:
    """The step loops of `workers` run while the block does."""
    loops = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for loop in loops:
            loop.cancel()
        await asyncio.wait(loops)


class Census:
    """Who is inside a part, kept twice: as a number over time, and as the time that each one stayed.

    Little's law says that the two agree, over any window, if those still inside count with the time that
    they have stayed so far. `books`, the part's own, must say the same number at every arrival.
    """

    def __init__(self, books: Callable[[], int] | None = None) -> None:
        self.sojourns_s = array("d")  # of those that left, in the order in which they left
        self.failed = 0
        self._differs = ""
        self._books = books
        self._numbers = count()
        self._since_s: dict[int, float] = {}  # of those inside
        self._arrived = 0
        self._area_s = 0.0
        self._stayed_s = 0.0  # those that left, all together
        self._last_s = self._began_s = _now()

    async def visit(self, stay: Awaitable[Outcome]) -> Outcome:
        """Wait for `stay`, and count the one that does."""
        arrived_s = self._advance(arrival=True)
        number = next(self._numbers)
        self._since_s[number] = arrived_s
        self._arrived += 1
        try:
            outcome = await stay
        except Exception:
            self.failed += 1
            raise
        finally:
            left_s = self._advance()
            self._stayed_s += left_s - self._since_s.pop(number)
        self.failed += not outcome.answered
        self.sojourns_s.append(left_s - arrived_s)
        return outcome

    def restart(self) -> None:
        """The window begins now; those inside have just come."""
        self._advance()
        self._began_s, self._area_s, self._stayed_s = self._last_s, 0.0, 0.0
        self._since_s = dict.fromkeys(self._since_s, self._last_s)
        self._arrived = len(self._since_s)

    def mean_inside(self) -> float:
        """L, until now."""
        self._advance()
        return self._area_s / (self._last_s - self._began_s)

    def assert_little(self) -> None:
        """Little's law until now, L = lambda * W; the part's books agreed at every arrival; nobody failed."""
        length = self.mean_inside()
        lasted_s = self._last_s - self._began_s
        stayed_s = self._stayed_s + sum(self._last_s - since_s for since_s in self._since_s.values())
        rate, mean_stay_s = self._arrived / lasted_s, stayed_s / self._arrived
        assert abs(length - rate * mean_stay_s) <= EXACTLY * length, (length, rate, mean_stay_s)
        assert not self._differs, self._differs
        assert not self.failed, f"{self.failed} requests were not answered"

    def _advance(self, *, arrival: bool = False) -> float:
        now = _now()
        if now > self._last_s:
            if arrival and self._books is not None and self._books() != len(self._since_s):
                seen = len(self._since_s)
                self._differs = self._differs or f"at {now:g} s {self._books()} inside, {seen} seen"
            self._area_s += len(self._since_s) * (now - self._last_s)
            self._last_s = now
        return now


async def open_loop(arrivals_s: Iterable[float], handle: Next, census: Census) -> None:
    """Send one call at each of `arrivals_s`, whatever becomes of the others, and wait for all."""

    async def send(planned: Planned) -> None:
        await census.visit(handle(new_call(planned.number)))

    plan = (Planned(at_s, "", number) for number, at_s in enumerate(arrivals_s))
    left = await send_open_loop(plan, send, _now())
    if left:
        await asyncio.wait(left)
    census.assert_little()


async def closed_loop(
    callers: int, handle: Next, census: Census, warm_up_s: float, lasts_s: float, *others: Census
) -> float:
    """`callers` that send the next call as soon as the last is answered. Answers per second after warm-up.

    Little's law is asserted on `census` and the `others`, which hold figures of the time after the warm-up.
    """
    numbers = iter(range(UNBOUNDED))

    async def call_for_ever() -> None:
        while True:
            await census.visit(handle(new_call(next(numbers))))

    tasks = [asyncio.create_task(call_for_ever()) for _ in range(callers)]
    try:
        await asyncio.sleep(warm_up_s)
        for each in (census, *others):
            each.restart()
        before = len(census.sojourns_s)
        await asyncio.sleep(lasts_s)
        for each in (census, *others):
            each.assert_little()
        return (len(census.sojourns_s) - before) / lasts_s
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def new_call(number: int) -> Call:
    """A call of one prompt token that asks for one token."""
    return Call(id=str(number), stream=False, prompt_tokens=1)


def _now() -> float:
    return asyncio.get_running_loop().time()
