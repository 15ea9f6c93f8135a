"""Where requests and questions about health come in, and where a fault may turn them away or hold them."""

import asyncio
from collections.abc import Callable
from math import inf

from faults.fault import WorkerFault
from harness.serving.meter import Counts
from harness.serving.openai_api import status_outcome
from harness.serving.pace import Pace
from policies.outcome import Outcome


class Door:
    """The door of the worker `name`, as its fault has it. `news`: the fault may be another one now."""

    def __init__(self, name: str, pace: Pace, counts: Counts) -> None:
        self._name = name
        self._pace = pace
        self._counts = counts
        self._news = asyncio.Event()
        self._closed = False

    async def enter(self) -> Outcome | None:
        """Come in, when that may be. An outcome is for those who may not."""
        fault = self._pace.active(_now())
        status = fault.error_status()
        if status is not None:
            self._counts.failed += 1
            return status_outcome(status, self._name)
        if fault.holds_requests:
            self._counts.unanswered += 1
            await self._wait(lambda fault: inf if fault.holds_requests else 0.0)
        return None

    async def health(self) -> None:
        """Returns when a question about health is to be answered."""
        asked_s = _now()
        await self._wait(lambda fault: asked_s + fault.health_s())

    def news(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """Hold nobody any more."""
        self._closed = True
        self.news()

    async def _wait(self, until_s: Callable[[WorkerFault], float]) -> None:
        """Until the loop time that the fault says, whichever there is by then, and at most its lease."""
        while not self._closed and (left := until_s(self._pace.active(_now()))) > _now():
            try:
                async with asyncio.timeout_at(min(left, self._pace.fault_until_s)):
                    await self._news.wait()
            except TimeoutError:
                pass  # look again


def _now() -> float:
    return asyncio.get_running_loop().time()
