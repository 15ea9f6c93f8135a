"""Looks at every hop a few times a second and writes what it sees into the history."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager

from harness.deployment import Deployment
from harness.reporting.progress import Progress
from harness.serving.recorder import Recorder

HOPS_EVERY_S = 0.25
WORKERS_EVERY_S = 0.5
PROBE_EVERY_S = 1.0
LAG_EVERY_S = 0.1


@asynccontextmanager
async def sample_forever(
    deployment: Deployment, recorder: Recorder, faulted: Sequence[str], progress: Progress
) -> AsyncIterator[None]:
    """Sample while the block runs. Of the faulted workers more is written, and their links are probed."""
    sampler = _Sampler(deployment, recorder, faulted, progress)
    jobs: list[Coroutine[None, None, None]] = [sampler.hops(), sampler.lag()]
    jobs += [sampler.worker(name) for name in deployment.admins]
    jobs += [sampler.probe(worker) for worker in faulted]
    jobs += [sampler.health(worker) for worker in faulted]
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ended:
            if isinstance(end, Exception):  # a cancelled task ends in a BaseException
                raise end


class _Sampler:
    def __init__(
        self, deployment: Deployment, recorder: Recorder, faulted: Sequence[str], progress: Progress
    ) -> None:
        self._deployment = deployment
        self._faulted = faulted
        self._recorder = recorder
        self._progress = progress
        self._clock = asyncio.get_running_loop().time

    async def hops(self) -> None:
        while True:
            for service in self._deployment.services.values():
                service.sample()
                self._progress.sample(service.name, {"in_use": service.in_use, "waiting": service.waiting})
            self._deployment.gateway.sample(self._clock())
            self._progress.sample("gateway", {"in_flight": self._deployment.gateway.in_flight})
            await asyncio.sleep(HOPS_EVERY_S)

    async def worker(self, name: str) -> None:
        """By itself: one that does not answer keeps nobody from looking at the others."""
        while True:
            await self._worker(name)
            await asyncio.sleep(WORKERS_EVERY_S)

    async def lag(self) -> None:
        """How late the loop runs a timer: what our own side adds to every latency."""
        while True:
            due = self._clock() + LAG_EVERY_S
            await asyncio.sleep(LAG_EVERY_S)
            self._recorder.gauge("callers", {"loop_lag_s": max(0.0, self._clock() - due)})

    async def probe(self, worker: str) -> None:
        """Small requests through the link to `worker`, one begun each second whatever the others do."""
        async with asyncio.TaskGroup() as probes:
            while True:
                probes.create_task(self._probe(worker))
                await asyncio.sleep(PROBE_EVERY_S)

    async def health(self, worker: str) -> None:
        """Questions about the health of `worker`, past its link, one asked each second."""
        async with asyncio.TaskGroup() as questions:
            while True:
                questions.create_task(self._health(worker))
                await asyncio.sleep(PROBE_EVERY_S)

    async def _health(self, worker: str) -> None:
        asked_s = self._clock()
        if await self._deployment.admins[worker].health():
            self._recorder.gauge(f"health {worker}", {"health_s": self._clock() - asked_s})

    async def _worker(self, name: str) -> None:
        state = await self._deployment.admins[name].state()
        seen = await self._deployment.sites[name].seen()
        if state is None:
            self._recorder.gauge(name, {"up": 0, **seen})
            return
        values = {
            "up": 1.0,
            "running": float(state.running),
            "waiting": float(state.waiting),
            "steps": float(state.steps),
            "step_seconds": state.step_seconds,
            "compute_seconds": state.compute_seconds,
            "tokens": float(state.tokens),
            "aborted": float(state.aborted),
            **seen,
        }
        if name in self._faulted:
            values |= state.details
        self._recorder.gauge(name, values, {"fault": state.fault} if state.fault != "none" else {})
        self._progress.sample(name, {"running": state.running, "waiting": state.waiting})

    async def _probe(self, worker: str) -> None:
        """Its beginning is written too: one that hears nothing has no end in time."""
        self._recorder.gauge(f"link {worker}", {"begun": 1.0})
        probe = await self._deployment.links[worker].probe()
        self._recorder.gauge(f"link {worker}", probe.values(), {"ended": probe.ended.value})
