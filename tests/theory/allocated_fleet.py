"""Clients and replicas of a ramp of load: each replica has the same allocation, and most can have more.

A replica is one server with a queue. Those that share their machine with antagonists get their allocation and
no more; the others find spare CPU and are `SPARE` times as fast. Costs are normal with a deviation of their
mean, cut off at nothing.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.judging.percentiles import Floats
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.serving.gateway import Gateway
from harness.serving.load_report import LoadReport
from harness.serving.recorder import Recorder
from harness.serving.worker import Worker
from policies.call import Attempt
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Picker
from policies.pool import Load
from policies.timers.timers import Timers
from tests.theory.queueing_parts import new_call, one_at_a_time, running

COST_S = 0.05  # mean, on an allocation
CUT_OFF = 1.0833155  # mean of max(0, normal(1, 1))
SPARE = 2.5
TIMEOUT_S = 5.0


@dataclass(slots=True)
class Replica:
    """A link to a worker that says its load when asked. `speed`: times the allocation."""

    worker: Worker
    report: LoadReport
    speed: float
    answers: int = 0

    async def send(self, attempt: Attempt) -> Outcome:
        outcome = await self.report.handle(attempt.call)
        self.answers += outcome.answered
        return outcome

    async def load(self) -> Load:
        return self.report.load(asyncio.get_running_loop().time())

    def used_s(self) -> float:
        """CPU used so far, in seconds of an allocation."""
        return self.speed * self.worker.busy_s(asyncio.get_running_loop().time())


MakePicker = Callable[[dict[str, Replica]], Picker]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramp:
    """Loads one after another, `step_s` each, in shares of what all allocations together can do."""

    clients: int
    replicas: int
    antagonised: int
    loads: Sequence[float]
    step_s: float

    def play(self, make: MakePicker) -> list[Floats]:
        """Seconds that each query took, by step. One that ran out took the timeout."""
        return run_virtual(_play(self, make))


async def _play(ramp: Ramp, make: MakePicker) -> list[Floats]:
    loop, rng = asyncio.get_running_loop(), random.Random("T19 clients")
    replicas = {f"replica-{n}": _replica(n, ramp) for n in range(ramp.replicas)}
    gateways = [_client(n, replicas, make) for n in range(ramp.clients)]
    took_s: list[list[float]] = [[] for _ in ramp.loads]

    async def send(planned: Planned) -> None:
        outcome = await gateways[rng.randrange(ramp.clients)].handle(new_call(planned.number))
        seconds = loop.time() - planned.intended_s if outcome.answered else TIMEOUT_S
        took_s[int(planned.intended_s // ramp.step_s)].append(seconds)

    async with running(*(replica.worker for replica in replicas.values())):
        left = await send_open_loop(
            (Planned(at_s, "", n) for n, at_s in enumerate(_times_s(ramp))), send, 0.0
        )
        if left:
            await asyncio.wait(left)
        for gateway in gateways:
            await gateway.close()
    return [np.array(step) for step in took_s]


def _times_s(ramp: Ramp) -> list[float]:
    rng, most_rps = random.Random("T19 arrivals"), ramp.replicas / COST_S
    return [
        at_s
        for step, load in enumerate(ramp.loads)
        for at_s in poisson(load * most_rps, step * ramp.step_s, (step + 1) * ramp.step_s, rng)
    ]


def _replica(number: int, ramp: Ramp) -> Replica:
    speed = 1.0 if number < ramp.antagonised else SPARE
    rng = random.Random(f"T19 costs {number}")
    mean_s = COST_S / CUT_OFF
    worker = one_at_a_time(f"replica-{number}", lambda: max(0.0, rng.gauss(mean_s, mean_s)) / speed)
    return Replica(worker, LoadReport(worker), speed)


def _client(number: int, replicas: dict[str, Replica], make: MakePicker) -> Gateway:
    pipeline = Pipeline(picker=make(replicas), timers=Timers(attempt_s=TIMEOUT_S))
    return Gateway(pipeline, replicas, Recorder(NoHistory()), number)
