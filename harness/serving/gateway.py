"""The client harness: takes a request, asks the policies, sends attempts to workers."""

import asyncio
from collections.abc import Callable, Mapping

from harness.serving.link import Link
from harness.serving.recorder import Recorder
from policies.call import Attempt, Call
from policies.outcome import Kind, Outcome
from policies.pipeline import Pipeline
from policies.pool import Load

NAME = "gateway"


class Gateway:
    """Policies in front of the links to the workers. `close` it: it may be asking workers for their load."""

    def __init__(
        self, pipeline: Pipeline, links: Mapping[str, Link], recorder: Recorder, seed: int = 0
    ) -> None:
        self.in_flight = 0
        self.on_error: Callable[[Exception], None] | None = None  # told what a policy raises: a defect
        self._links = dict(links)
        self._gauges = {worker: f"pending.{worker}" for worker in links}
        self._recorder = recorder
        self._seed = seed
        self._asking: dict[str, asyncio.Task[None]] = {}  # workers that owe an answer
        self._bound = pipeline.over(list(links), self._send, recorder, seed=seed, ask=self._ask)

    async def handle(self, call: Call) -> Outcome:
        """One request, however many attempts the policies make of it."""
        call.seed = f"{self._seed} {call.id}"
        arrived_s, kind = self._recorder.now(), Kind.ABANDONED
        self.in_flight += 1
        try:
            outcome = await self._bound.run(call)
            kind = outcome.kind
            return outcome
        except Exception as broken:
            if self.on_error is not None:
                self.on_error(broken)
            raise
        finally:
            self.in_flight -= 1
            self._recorder.visit(NAME, call.id, arrived_s, arrived_s, kind)

    def sample(self, now: float) -> None:
        """Write the gauges; `now` is loop time."""
        pending = self._bound.pending
        values: dict[str, float] = {"in_flight": self.in_flight}
        for worker, name in self._gauges.items():
            values[name] = float(pending[worker])
        self._recorder.gauge(NAME, values, self._bound.describe(now))

    async def _send(self, attempt: Attempt) -> Outcome:
        return await self._links[attempt.worker].send(attempt)

    async def close(self) -> None:
        """Stop asking."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, worker: str, tell: Callable[[Load | None], None]) -> None:
        """Ask a worker for its load, unless it owes an answer: probes must not pile up on a slow way."""
        if worker not in self._asking:
            task = asyncio.create_task(self._load(worker, tell), name=f"load of {worker}")
            self._asking[worker] = task

    async def _load(self, worker: str, tell: Callable[[Load | None], None]) -> None:
        try:
            tell(await self._links[worker].load())
        finally:
            del self._asking[worker]
