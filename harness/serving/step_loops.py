"""The step loops of workers in memory, each a task, so that one that breaks is missed."""

import asyncio
from typing import NoReturn

from harness.serving.worker import Worker


class StepLoops:
    """Starts them, watches them, ends them."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self._broken: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()

    def start(self, worker: Worker) -> "asyncio.Task[None]":
        """The loop of `worker`. Whoever kills the worker cancels it."""
        task = asyncio.create_task(worker.run(), name=worker.name)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def watch(self) -> NoReturn:
        """Raises what broke a step loop: a defect of ours, which must not pass for a worker's failure."""
        await asyncio.shield(self._broken)  # who stops watching must not end it for others
        raise AssertionError("what broke a step loop is an exception")

    async def close(self) -> None:
        left = list(self.tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self.tasks.discard(task)
        if not task.cancelled() and not self._broken.done():  # a killed worker's was cancelled
            self._broken.set_exception(task.exception() or RuntimeError(f"{task.get_name()} has ended"))
            self._broken.exception()  # whoever watches is told; where nobody does it is no news
