"""Our server in a thread of its own, for tests that are plain functions; what goes wrong inside is kept."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from faults.toxiproxy.server import serve
from tests.faults.toxiproxy.servers import echo, worker


@dataclass
class Threaded:
    """A server that runs, and a worker that echoes."""

    port: int = 0
    worker: str = ""
    defects: list[str] = field(default_factory=list)  # what no request may cause, whatever is in it


class _Keep(logging.Handler):
    def __init__(self, defects: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._defects = defects

    def emit(self, record: logging.LogRecord) -> None:
        self._defects.append(self.format(record))


@contextmanager
def threaded_toxiproxy() -> Iterator[Threaded]:
    """Run one meanwhile."""
    running, up, down = Threaded(), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _, context: running.defects.append(repr(context)))
    keep = _Keep(running.defects)

    async def run() -> None:
        async with serve() as running.port, worker(echo) as running.worker:
            up.set()
            await down.wait()

    def main() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(run())

    logging.getLogger("faults.toxiproxy").addHandler(keep)
    thread = threading.Thread(target=main, daemon=True)
    thread.start()
    try:
        assert up.wait(10)
        yield running
    finally:
        loop.call_soon_threadsafe(down.set)
        thread.join(10)
        logging.getLogger("faults.toxiproxy").removeHandler(keep)
    assert not thread.is_alive()
