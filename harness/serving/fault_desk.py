"""Faults on order, each for a stated time, on a layer that serves. One fault at a worker at a time."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from faults.fault import Fault
from faults.notation import spell
from faults.shape import CONSTANT
from faults.site import Site
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault, unknown
from harness.load.callers import cancel_all


@dataclass(slots=True)
class _Held:
    """A fault at a worker, until `until_s` on the clock of the loop."""

    worker: str
    fault: Fault
    until_s: float
    installed: asyncio.Future[None] = field(default_factory=lambda: _loop().create_future())
    confirmed: bool = False  # that it came and, once it has ended, that it went

    @property
    def words(self) -> str:
        return f"{spell(self.fault)} on {self.worker}"


class FaultDesk:
    """Takes orders; `close` heals what is still on. `check` raises when no fault may be started.

    `told` hears in words of each fault that comes and goes.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        check: Callable[[], None] = lambda: None,
        told: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._sites = sites
        self._check = check
        self._told = told
        self._on: dict[str, tuple[_Held, asyncio.Task[None]]] = {}
        self._unclean: list[str] = []

    async def order(self, worker: str, fault: Fault, for_s: float) -> None:
        """Install a fault now, to heal by itself after `for_s`. Raises what the installing raises.

        Who leaves before the fault is on has withdrawn the order.
        """
        if worker not in self._sites:
            raise unknown("worker", worker, self._sites)
        if worker in self._on:
            raise _taken(self._on[worker][0])
        self._check()
        held = _Held(worker, fault, _loop().time() + for_s)
        task = asyncio.create_task(self._hold(held, for_s))
        self._on[worker] = held, task
        task.add_done_callback(lambda _: self._ended(held))
        try:
            await held.installed
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def lift(self, worker: str) -> str:
        """End the fault at `worker` before its time, and say which it was.

        BadInput if there is none, CleanupUnverified if it may still be there.
        """
        if worker not in self._sites:
            raise unknown("worker", worker, self._sites)
        if worker not in self._on:
            raise BadInput(f"{worker} has no fault")
        held, task = self._on[worker]
        before = len(self._unclean)
        await cancel_all([task])
        if self._unclean[before:]:
            raise CleanupUnverified("; ".join(self._unclean[before:]))
        return held.words

    async def close(self) -> None:
        """CleanupUnverified if any fault since the start may not have been healed."""
        await cancel_all([task for _, task in self._on.values()])
        if self._unclean:
            raise CleanupUnverified("; ".join(self._unclean))

    async def _hold(self, held: _Held, for_s: float) -> None:
        fault, installed = held.fault, held.installed
        try:
            async with fault.install(self._sites[held.worker]):
                held.confirmed = True
                if not installed.done():
                    installed.set_result(None)
                if stays(fault):
                    self._told(f"{held.words} for {for_s:g} s")
                    await asyncio.sleep(for_s)
                else:
                    self._told(held.words)
        except Exception as failed:  # whatever it is, who ordered must not wait for ever
            if held.confirmed or isinstance(failed, CleanupUnverified):
                self._unclean.append(f"{fault.kind} on {held.worker} may still be there: {failed}")
                self._told(self._unclean[-1])
            held.confirmed = False
            if not installed.done():
                installed.set_exception(failed)

    def _ended(self, held: _Held) -> None:
        self._on.pop(held.worker, None)
        if held.confirmed and stays(held.fault):
            self._told(f"{held.words} has ended")
        if not held.installed.done():
            why = f"the gateway stopped before the fault was on {held.worker}"
            held.installed.set_exception(EnvironmentFault(why))


def stays(fault: Fault) -> bool:
    """Whether it is there for a time: what does not heal has done all that it does, unless it comes again."""
    return fault.heals or fault.shape != CONSTANT


def _taken(held: _Held) -> BadInput:
    left_s = max(0.0, held.until_s - _loop().time())
    index = held.worker.rpartition("-")[2]
    return BadInput(
        f"{held.worker} has a fault already: {spell(held.fault)}, for {left_s:.0f} s more."
        f" Wait, or end it: limplock fault --lift --worker {index}"
    )


def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()
