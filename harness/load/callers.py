"""Open-loop callers: they send when the schedule says so, whatever became of the requests before."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True)
class Planned:
    """One request to come. `intended_s` is on the run's clock; latency counts from there."""

    intended_s: float
    caller: str
    number: int


async def send_open_loop(
    plan: Iterable[Planned],
    send: Callable[[Planned], Coroutine[None, None, None]],
    zero_s: float,
    broken: asyncio.Future[NoReturn] | None = None,
) -> dict[asyncio.Task[None], None]:
    """Start `send` for each planned request at `zero_s` + `intended_s` loop seconds.

    `plan` is ascending in time. Returns the tasks that have not ended when the last one was started. `broken`
    gets the first error that a `send` raises, then or later.
    """
    loop = asyncio.get_running_loop()
    under_way: dict[asyncio.Task[None], None] = {}  # a set would cancel them in another order each time

    def ended(task: asyncio.Task[None]) -> None:
        del under_way[task]
        if task.cancelled():
            return
        error = task.exception()  # asked for always: asyncio prints those that nobody asked for
        if error is None or isinstance(error, SystemExit | KeyboardInterrupt):  # the loop raises these itself
            return
        if broken is not None and not broken.done():
            broken.set_exception(error)

    try:
        for planned in plan:
            ahead_s = zero_s + planned.intended_s - loop.time()
            if ahead_s > 0:
                await asyncio.sleep(ahead_s)
            task = loop.create_task(send(planned))
            under_way[task] = None
            task.add_done_callback(ended)
        await asyncio.sleep(0)  # the last one starts too
    except asyncio.CancelledError:
        await cancel_all(under_way)
        raise
    return under_way


async def cancel_all(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel what still runs and wait until it has ended."""
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
