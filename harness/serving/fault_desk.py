"""Faults on order, each for a stated time, on a layer that serves. One fault at a worker at a time."""

import asyncio
from collections.abc import Callable, Mapping

from faults.fault import Fault
from faults.site import Site
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault, unknown
from harness.load.callers import cancel_all


class FaultDesk:
    """Takes orders; `close` heals what is still on. `check` raises when no fault may be started."""

    def __init__(self, sites: Mapping[str, Site], check: Callable[[], None] = lambda: None) -> None:
        self._sites = sites
        self._check = check
        self._on: dict[str, asyncio.Task[None]] = {}
        self._unclean: list[str] = []

    async def order(self, worker: str, fault: Fault, for_s: float) -> None:
        """Install a fault now, to heal by itself after `for_s`. Raises what the installing raises.

        Who leaves before the fault is on has withdrawn the order.
        """
        if worker not in self._sites:
            raise unknown("worker", worker, self._sites)
        if worker in self._on:
            raise BadInput(f"{worker} has a fault already. Wait until it has ended")
        self._check()
        installed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._hold(worker, fault, for_s, installed))
        self._on[worker] = task
        task.add_done_callback(lambda _: self._ended(worker, installed))
        try:
            await installed
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def close(self) -> None:
        """CleanupUnverified if any fault since the start may not have been healed."""
        await cancel_all(list(self._on.values()))
        if self._unclean:
            raise CleanupUnverified("; ".join(self._unclean))

    async def _hold(self, worker: str, fault: Fault, for_s: float, installed: asyncio.Future[None]) -> None:
        was_on = False
        try:
            async with fault.install(self._sites[worker]):
                was_on = True
                if not installed.done():
                    installed.set_result(None)
                if fault.heals:
                    await asyncio.sleep(for_s)
        except Exception as failed:  # whatever it is, who ordered must not wait for ever
            if was_on or isinstance(failed, CleanupUnverified):
                self._unclean.append(f"{fault.kind} on {worker} may still be there: {failed}")
            if not installed.done():
                installed.set_exception(failed)

    def _ended(self, worker: str, installed: asyncio.Future[None]) -> None:
        self._on.pop(worker, None)
        if not installed.done():
            installed.set_exception(EnvironmentFault(f"the gateway stopped before the fault was on {worker}"))
