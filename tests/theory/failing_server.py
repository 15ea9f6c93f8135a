"""Many clients, each with its own policies, of one server that fails at random, whatever its load."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.call import Attempt, Call
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Layer
from tests.theory.queueing_parts import Census

RATE_RPS = 10.0  # of each client
NET_S = 0.01  # mean of each way
FAILED = Outcome(kind=Kind.ERROR, by="server", status=500)

Layers = Callable[[], tuple[Layer, ...]]


@dataclass(slots=True)
class Tally:
    calls: int = 0
    attempts: int = 0
    answered: int = 0

    @property
    def success_ratio(self) -> float:
        return self.answered / self.calls

    @property
    def load(self) -> float:
        """Attempts per first try."""
        return self.attempts / self.calls


class FailingServer:
    """A link to a server that fails each attempt with probability `ratio`, as fast under any load."""

    def __init__(self, ratio: float, rng: random.Random) -> None:
        self.census = Census()
        self._ratio = ratio
        self._rng = rng

    async def send(self, attempt: Attempt) -> Outcome:
        await self.census.visit(self._travel())
        return FAILED if self._rng.random() < self._ratio else OK

    async def _travel(self) -> Outcome:
        await asyncio.sleep(self._rng.expovariate(1 / NET_S) + self._rng.expovariate(1 / NET_S))
        return OK


@dataclass(slots=True)
class Clients:
    """`number` clients of one server for one run. `seed` is that of all their chance."""

    layers: Layers
    ratio: float
    number: int
    seed: int
    tally: Tally
    server: FailingServer = field(init=False)
    _gateways: list[Gateway] = field(init=False)

    def __post_init__(self) -> None:
        self.server = FailingServer(self.ratio, random.Random(f"server {self.seed}"))
        recorder = Recorder(NoHistory())
        self._gateways = [
            Gateway(Pipeline(layers=self.layers()), {"server": self.server}, recorder, self.seed)
            for _ in range(self.number)
        ]

    async def call(self, client: int, number: int) -> None:
        call = Call(id=f"{client} {number}")
        outcome = await self._gateways[client].handle(call)
        self.tally.calls += 1
        self.tally.attempts += call.attempts
        self.tally.answered += outcome.answered

    async def send_open_loop(self, seconds: float) -> None:
        """Each client sends as a Poisson process of its own for `seconds`, whatever became of its calls."""
        plan = [
            Planned(at_s, str(client), number)
            for client in range(self.number)
            for number, at_s in enumerate(poisson(RATE_RPS, 0.0, seconds, self.gaps(client)))
        ]
        plan.sort(key=lambda planned: planned.intended_s)
        left = await send_open_loop(plan, lambda planned: self.call(int(planned.caller), planned.number), 0.0)
        if left:
            await asyncio.wait(left)
        self.server.census.assert_little()

    def gaps(self, client: int) -> random.Random:
        """Chance for the gaps between the calls of one client."""
        return random.Random(f"arrivals {self.seed} {client}")
