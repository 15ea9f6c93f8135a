"""What runs beside the main process so that no proxy outlives it: entries of child processes.

Each gets a pipe to the main process, which the kernel closes however that process ends, SIGKILL included;
the pipe's end is the order to finish. Each ignores Ctrl-C, which reaches the whole process group: the main
process decides.

Off Linux a `toxiproxy-server` outlives the SIGKILL of guardian and main process both: then the janitor ends
it, which the journal names.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from faults.toxiproxy.server import serve
from harness.serving import proxy_program
from harness.serving.orphan import die_with_parent
from harness.serving.readable import readable


@dataclass(frozen=True, slots=True)
class Up:
    """The child is up. `pid` is the process that carries the proxies, `port` its control port."""

    pid: int
    port: int


def serve_embedded(main: Connection, seed: int) -> None:
    """Be the embedded server until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    with suppress(BrokenPipeError):  # the main process is gone already
        asyncio.run(_serve(main, seed))


def guard_program(main: Connection, path: str, seed: int) -> None:
    """Run the `toxiproxy-server` at `path` until the pipe ends. Says in one line why it cannot."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that `finally` runs
    with suppress(BrokenPipeError), tempfile.TemporaryFile() as log:
        try:
            program = proxy_program.start(path, seed, log)
        except OSError as error:
            main.send(f"{path} cannot be run: {error.strerror}")
            return
        try:
            port = proxy_program.listening(program, log, main.poll)
            main.send(Up(program.pid, port) if isinstance(port, int) else port)
            _wait_for_end(main)
        finally:
            program.kill()  # it has nothing to finish
            program.wait()


async def _serve(main: Connection, seed: int) -> None:
    async with serve(seed=seed) as port:
        main.send(Up(os.getpid(), port))
        await readable(main)


def _wait_for_end(main: Connection) -> None:
    parent = multiprocessing.parent_process()
    wait([main] if parent is None else [main, parent.sentinel])
