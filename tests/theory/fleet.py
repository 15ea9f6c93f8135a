"""One-slot workers behind a gateway with one picker: N queues, and a rule that chooses among them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.history import NoHistory
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from harness.serving.worker import Worker
from policies.call import Attempt
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Picker
from tests.theory.draws import Draw
from tests.theory.queueing_parts import Census, inside, one_at_a_time


class CountedLink:
    """Straight into the worker, in no time, with a census of its own."""

    def __init__(self, worker: Worker) -> None:
        self.census = Census(lambda: inside(worker))
        self._worker = worker

    async def send(self, attempt: Attempt) -> Outcome:
        return await self.census.visit(self._worker.handle(attempt.call))

    async def probe(self) -> None:
        """There and back in no time."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """A gateway and its workers, with a census at the way into each."""

    gateway: Gateway
    workers: list[Worker]
    links: dict[str, CountedLink]

    @property
    def censuses(self) -> list[Census]:
        return [link.census for link in self.links.values()]


def fleet(size: int, picker: Picker, seed: str, first_mean_s: float = 1.0) -> Fleet:
    """Workers with exponential service of mean 1 s, the first of `first_mean_s`. Needs a running loop."""
    workers = exponential_nodes([first_mean_s, *[1.0] * (size - 1)], seed)
    links = {worker.name: CountedLink(worker) for worker in workers}
    recorder = Recorder(NoHistory())
    gateway = Gateway(Pipeline(picker=picker), links, recorder, _number(seed))
    return Fleet(gateway, workers, links)


def exponential_nodes(means_s: Sequence[float], seed: str) -> list[Worker]:
    """Workers with one slot each and exponential service of these means."""
    return [
        one_at_a_time(f"worker-{number}", _exponential(mean_s, f"{seed} worker-{number}"))
        for number, mean_s in enumerate(means_s)
    ]


def _exponential(mean_s: float, seed: str) -> Draw:
    rng = random.Random(seed)
    return lambda: rng.expovariate(1 / mean_s)


def _number(seed: str) -> int:
    return random.Random(seed).getrandbits(32)
