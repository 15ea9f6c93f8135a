"""One queue model in three engines that share nothing but the draws: our virtual loop, SimPy, a plain heap.

Poisson arrivals, each at a drawn worker that serves one request at a time, first come first served, for an
exponential time. A request that has not ended after TIMEOUT_S gives up, waiting or in service.
"""

import asyncio
from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

import numpy as np
import simpy

from harness.clock import run_virtual

WORKERS = 16
SERVICE_S = 0.1  # mean
LOAD = 0.8  # share of the time for which a worker would be busy if nobody gave up
TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class Draws:
    """What chance decides, request by request."""

    arrival_s: list[float]
    service_s: list[float]
    worker: list[int]

    def __iter__(self) -> Iterator[tuple[float, float, int]]:
        return zip(self.arrival_s, self.service_s, self.worker, strict=True)


def draw(requests: int, seed: int) -> Draws:
    chance = np.random.default_rng(seed)
    gap_s = SERVICE_S / (LOAD * WORKERS)
    return Draws(
        np.cumsum(chance.exponential(gap_s, requests)).tolist(),
        chance.exponential(SERVICE_S, requests).tolist(),
        chance.integers(WORKERS, size=requests).tolist(),
    )


@dataclass(slots=True)
class Result:
    """How the requests ended."""

    latency_s: "array[float]" = field(default_factory=lambda: array("d"))  # of the done, in order of ending
    timed_out: int = 0

    @property
    def done(self) -> int:
        return len(self.latency_s)

    def quantile_s(self, q: float) -> float:
        return float(np.quantile(self.latency_s, q))


Engine = Callable[[Draws], Result]


def on_our_loop(draws: Draws) -> Result:
    """A task, a semaphore and a timeout for each request: code as it would be written for a real loop."""
    return run_virtual(callers(draws))


async def callers(draws: Draws) -> Result:
    result = Result()
    loop = asyncio.get_running_loop()
    slots = [asyncio.Semaphore(1) for _ in range(WORKERS)]
    async with asyncio.TaskGroup() as group:
        for arrival_s, service_s, worker in draws:
            await asyncio.sleep(arrival_s - loop.time())
            group.create_task(_request(loop, slots[worker], service_s, result))
    return result


async def _request(
    loop: asyncio.AbstractEventLoop, slot: asyncio.Semaphore, service_s: float, result: Result
) -> None:
    began_s = loop.time()
    try:
        async with asyncio.timeout(TIMEOUT_S), slot:
            await asyncio.sleep(service_s)
    except TimeoutError:
        result.timed_out += 1
    else:
        result.latency_s.append(loop.time() - began_s)


Process = Generator[simpy.Event, object, None]


def in_simpy(draws: Draws) -> Result:
    """A process, a resource and a deadline for each request."""
    result = Result()
    env = simpy.Environment()
    slots = [simpy.Resource(env) for _ in range(WORKERS)]
    env.process(_arrivals(env, slots, draws, result))
    env.run()
    return result


def _arrivals(env: simpy.Environment, slots: list[simpy.Resource], draws: Draws, result: Result) -> Process:
    for arrival_s, service_s, worker in draws:
        yield env.timeout(arrival_s - env.now)
        env.process(_process(env, slots[worker], service_s, result))


def _process(env: simpy.Environment, slot: simpy.Resource, service_s: float, result: Result) -> Process:
    began_s = env.now
    deadline = env.timeout(TIMEOUT_S)
    with slot.request() as turn:
        yield turn | deadline
        if turn.triggered:
            service = env.timeout(service_s)
            yield service | deadline
            if service.processed:
                result.latency_s.append(env.now - began_s)
                return
        result.timed_out += 1


_ARRIVES, _ENDS, _GIVES_UP = range(3)


def on_a_heap(draws: Draws) -> Result:
    """Events as tuples, sorted by time: what the model costs where nothing is general."""
    result = Result()
    numbers = count()
    events = [(at_s, next(numbers), _ARRIVES, request) for request, at_s in enumerate(draws.arrival_s)]
    waiting: list[deque[int]] = [deque() for _ in range(WORKERS)]
    served: list[int | None] = [None] * WORKERS
    gone = bytearray(len(events))  # ended either way

    def serve(worker: int, now_s: float) -> None:
        """Let the next who still waits have its turn."""
        served[worker] = None
        while waiting[worker]:
            request = waiting[worker].popleft()
            if not gone[request]:
                served[worker] = request
                heappush(events, (now_s + draws.service_s[request], next(numbers), _ENDS, request))
                return

    while events:
        now_s, _, kind, request = heappop(events)
        if gone[request]:
            continue
        worker = draws.worker[request]
        if kind == _ARRIVES:
            heappush(events, (now_s + TIMEOUT_S, next(numbers), _GIVES_UP, request))
            waiting[worker].append(request)
            if served[worker] is None:
                serve(worker, now_s)
            continue
        gone[request] = True
        if kind == _ENDS:
            result.latency_s.append(now_s - draws.arrival_s[request])
        else:
            result.timed_out += 1
        if served[worker] == request:
            serve(worker, now_s)
    return result


ENGINES: dict[str, Engine] = {"our loop": on_our_loop, "SimPy": in_simpy, "heap": on_a_heap}
