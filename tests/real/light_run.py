"""A run of its own process: a journal, a janitor, a proxy with a toxic, a stopped worker. Then it waits.

`light_run.py RUN URL FOLDER` says its own, its janitor's and its worker's process ids.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from faults.site import Toxic
from harness.serving.janitor_process import guarded
from harness.serving.journal_entries import StoppedProcess, start_of
from harness.serving.proxy_server import open_toxiproxy


def stub_worker() -> "subprocess.Popen[bytes]":
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(["/bin/sleep", "600"], stdin=nowhere, stdout=nowhere, stderr=nowhere)


async def main(run: str, url: str, folder: Path) -> None:
    async with guarded(run, folder) as (journal, janitor), open_toxiproxy(url, run, journal) as toxiproxy:
        proxy = await toxiproxy.client.create(f"{run}.worker-0", "127.0.0.1:0", "127.0.0.1:9")
        toxic = Toxic("latency", "to_caller", {"latency": 1000})
        await toxiproxy.client.set_toxics(proxy.name, proxy.name, (toxic,), 3600.0)
        worker = stub_worker()
        journal.intend(StoppedProcess(worker.pid, start_of(worker.pid)))
        worker.send_signal(signal.SIGSTOP)
        await janitor.ready()
        sys.stdout.write(f"{os.getpid()} {janitor.pid} {worker.pid}\n")
        sys.stdout.flush()
        while True:
            journal.check()
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
