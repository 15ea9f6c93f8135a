"""The step loops of workers in memory, each a task, so that one that breaks is missed."""

import asyncio
from typing import NoReturn

from harness.serving.worker import Worker


class StepLoops:
    """Starts them, watches them, ends them."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self._broken: asyncio.Task[None] | None = None
        self._broke = asyncio.Event()

    def start(self, worker: Worker) -> "asyncio.Task[None]":
        """The loop of `worker`. Whoever kills the worker cancels it."""
        task = asyncio.create_task(worker.run(), name=worker.name)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def watch(self) -> NoReturn:
        """Raises what broke a step loop: a defect of ours, which must not pass for a worker's failure."""
        await self._broke.wait()
        assert self._broken is not None  # noqa: S101 - set together with the event
        self._broken.result()
        raise AssertionError

    async def close(self) -> None:
        left = list(self.tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self.tasks.discard(task)
        if not task.cancelled() and self._broken is None:  # a killed worker's was
            self._broken = task
            self._broke.set()
