"""Brings forth light runs without delay: each with a journal, a janitor, and faults of all places.

Reads `RUN URL FOLDER` from standard input, answers with the process id of a run, until the end of input. A
run puts faults and lifts them in a loop until it is killed. Its worker and its neighbour are no more than
processes that end with their pipe, unless they are stopped.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from faults.site import Toxic
from harness.serving.janitor_process import guarded
from harness.serving.journal import Journal
from harness.serving.journal_entries import NeighbourProcess, StoppedProcess, WorkerProcess, start_of
from harness.serving.proxy_server import RunningToxiproxy, open_toxiproxy

PAUSE_S = 0.02


class LightRun:
    """What a run does to a server that is not its own and to its processes."""

    def __init__(self, name: str, journal: Journal, toxiproxy: RunningToxiproxy) -> None:
        self._journal = journal
        self._client = toxiproxy.client
        self._proxy = f"{name}.worker-0"
        self._rng = random.Random(name)

    async def go_on(self) -> None:
        await self._client.create(self._proxy, "127.0.0.1:0", "127.0.0.1:9")
        worker = self._process()
        stopped = StoppedProcess(worker.pid, start_of(worker.pid))
        self._journal.intend(WorkerProcess(worker.pid, stopped.started_s))
        acts = [lambda: self._link(), lambda: self._stop(stopped), lambda: self._neighbour()]
        while True:
            await self._rng.choice(acts)()

    async def _link(self) -> None:
        toxic = Toxic("latency", "to_caller", {"latency": 1000})
        await self._client.set_toxics(self._proxy, self._proxy, (toxic,), 60.0)
        await asyncio.sleep(PAUSE_S)
        await self._client.clear_toxics(self._proxy, self._proxy)

    async def _stop(self, worker: StoppedProcess) -> None:
        self._journal.intend(worker)
        os.kill(worker.pid, signal.SIGSTOP)
        await asyncio.sleep(PAUSE_S)
        os.kill(worker.pid, signal.SIGCONT)
        self._journal.done(worker)

    async def _neighbour(self) -> None:
        hog = self._process()
        entry = NeighbourProcess(hog.pid, start_of(hog.pid))
        self._journal.intend(entry)
        hog.send_signal(signal.SIGSTOP)  # it would end by itself, else
        await asyncio.sleep(PAUSE_S)
        hog.kill()
        hog.wait()
        self._journal.done(entry)

    def _process(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


async def run(name: str, url: str, folder: Path) -> None:
    async with guarded(name, folder) as (journal, _), open_toxiproxy(url, name, journal) as toxiproxy:
        await LightRun(name, journal, toxiproxy).go_on()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        name, url, folder = line.split()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ["LIMPLOCK_TEST_MARK"] = name
            asyncio.run(run(name, url, Path(folder)))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
