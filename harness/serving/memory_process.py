"""What a fault can do to the process of a worker in memory: end it, start it anew, stop it, crowd it."""

import asyncio
from collections.abc import Callable, Mapping

from faults.process.memory_pressure import MEGABYTE
from faults.site import GpuCap, Neighbour
from harness.errors import EnvironmentFault
from harness.serving.cost_model import CostModel
from harness.serving.halt import HaltedSteps
from harness.serving.memory_link import MemoryLink
from harness.serving.worker import Worker
from policies.outcome import Kind, Outcome

StartAgain = Callable[[], tuple[Worker, "asyncio.Task[None]"]]


class MemoryProcess:
    """One worker behind `link`, with the task of its step loop. `again` makes another in its place."""

    def __init__(
        self, link: MemoryLink, steps: "asyncio.Task[None]", again: StartAgain | None = None
    ) -> None:
        self.worker = link.worker.name
        self.link = link
        self._steps = steps
        self._again = again
        self._neighbour: Neighbour | None = None
        self._crowded: asyncio.TimerHandle | None = None  # the end of the neighbour's lease

    async def kill(self) -> None:
        if self.link.down:
            return
        self.link.take_down()
        self._steps.cancel()
        await asyncio.wait([self._steps])
        self.link.worker.end(Outcome(kind=Kind.ERROR, cause=f"{self.worker} is gone", by=self.worker))

    async def restart(self) -> None:
        if not self.link.down:
            return
        if self._again is None:
            raise EnvironmentFault(f"{self.worker} cannot be started again here")
        worker, self._steps = self._again()
        self.link.bring_up(worker)
        self._slow_down()

    async def stop(self, stopped_ratio: float, period_s: float, lease_s: float) -> None:
        """ConnectionError if the worker is gone."""
        self._check_up("cannot be stopped")
        self.link.halt.order(stopped_ratio, period_s, lease_s)
        self.link.worker.inject(HaltedSteps(halt=self.link.halt), lease_s)

    async def resume(self) -> None:
        if self.link.halt.cycle is not None:
            self.link.halt.lift()
            self.link.worker.heal()

    async def crowd(self, neighbour: Neighbour, lease_s: float) -> None:
        """A neighbour on the processor makes computing slower, as by a fair share; one in memory is there."""
        self._check_up("has no neighbours")
        if self._crowded is not None:
            self._crowded.cancel()
        self._crowded = asyncio.get_running_loop().call_later(lease_s, self._leave)
        if neighbour != self._neighbour:
            self._neighbour = neighbour
            self._slow_down()

    async def uncrowd(self) -> None:
        if self._crowded is not None:
            self._crowded.cancel()
            self._leave()

    async def cap(self, limit: GpuCap, lease_s: float) -> None:
        raise EnvironmentFault(
            f"a {limit.kind} limit needs a GPU, and {self.worker} is simulated. Use slow_steps, or a real run"
        )

    async def uncap(self) -> None:
        """There is never a limit."""

    async def seen(self) -> Mapping[str, float]:
        """Gauges of the process from outside, while a fault is there that shows in them."""
        cycle, now = self.link.halt.cycle, asyncio.get_running_loop().time()
        seen: dict[str, float] = {}
        if cycle is not None and self.link.halt.on(now):
            seen |= {"stopped_seconds": cycle.stopped_s(now), "watched_seconds": now - cycle.since_s}
        if self._neighbour is not None:
            memory = self._neighbour.kind == "memory"
            seen["neighbours"] = 1.0 if memory else float(self._neighbour.amount)
            seen["neighbour_megabytes"] = self._neighbour.amount / MEGABYTE if memory else 0.0
        return seen

    def _check_up(self, what: str) -> None:
        if self.link.down:
            raise ConnectionError(f"{self.worker} {what}: it is gone")

    def _leave(self) -> None:
        self._crowded = self._neighbour = None
        self._slow_down()

    def _slow_down(self) -> None:
        """Have steps computed as fast as the neighbour lets them, from the next one on."""
        worker = self.link.worker
        if isinstance(worker.engine, CostModel):
            busy = self._neighbour is not None and self._neighbour.kind != "memory"
            worker.engine.times = 1.0 + self._neighbour.amount if busy and self._neighbour else 1.0
            worker.look_again()
