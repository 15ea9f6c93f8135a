"""Waiting, on the loop, for something on a pipe."""

import asyncio
from multiprocessing.connection import Connection


async def readable(pipe: Connection) -> None:
    """Wait until something can be received, the end of the pipe included.

    Whoever closes our own end meanwhile wakes nobody, and the loop keeps its number: see that none waits.
    """
    loop, number = asyncio.get_running_loop(), pipe.fileno()
    ready = asyncio.Event()
    loop.add_reader(number, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(number)
