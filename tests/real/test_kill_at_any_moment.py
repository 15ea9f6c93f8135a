"""SIGKILL of the controller at 100 random moments: nothing is left of it soon after."""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from tests.faults.toxiproxy.servers import running

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
KILLS = 100
AT_ONCE = 4
LATEST_S = 0.8  # into its loop: a run has its journal after some milliseconds, its janitor after 0.3 s
SOON_S = 2.0
MOSTLY = 0.9  # of the kills: a janitor that was still starting on a busy machine may need longer than that
AT_MOST_S = 20.0


@dataclass(frozen=True)
class Nursery:
    """Forks light runs; see its file."""

    process: asyncio.subprocess.Process
    url: str
    folder: Path

    async def new_run(self, name: str) -> int:
        self.process.stdin.write(f"{name} {self.url} {self.folder}\n".encode())
        return int(await self.process.stdout.readline())


@asynccontextmanager
async def nursery(url: str, folder: Path) -> AsyncIterator[Nursery]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parent / "nursery.py"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    yield Nursery(process, url, folder)
    process.stdin.close()
    await process.wait()


def family(run: str, pid: int) -> list[str]:
    """Every living process of a run, in words."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.pid == pid or process.environ().get("LIMPLOCK_TEST_MARK") == run
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {process.status()} {' '.join(process.cmdline())}")
        except psutil.Error:
            continue
    return found


async def left_of(run: str, pid: int, client: ToxiproxyClient, folder: Path) -> list[str]:
    """All that is left; processes, which take long to look through, only if it is nothing else."""
    left = [name for name in os.listdir(folder) if name.startswith(f"{run}.")]
    left += [name for name in await client.list() if name.startswith(f"{run}.")]
    return left or await asyncio.to_thread(family, run, pid)


async def kill_at(run: str, after_s: float, nursery: Nursery, client: ToxiproxyClient) -> float:
    """How long something was left of it, in seconds."""
    pid = await nursery.new_run(run)
    await asyncio.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    killed_s = time.monotonic()
    while left := await left_of(run, pid, client, nursery.folder):
        assert time.monotonic() < killed_s + AT_MOST_S, f"{run}, killed after {after_s:.3f} s: {left}"
        await asyncio.sleep(0.05)
    took_s = time.monotonic() - killed_s
    await asyncio.sleep(0.1)
    assert await left_of(run, pid, client, nursery.folder) == []
    return took_s


# report 18: chaos-mesh#4392
@pytest.mark.timeout(300)
async def test_nothing_is_left_of_a_run_whenever_it_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    folder.mkdir()
    rng = random.Random("kills")
    moments = [(f"limplock-{number}", rng.uniform(0, LATEST_S)) for number in range(KILLS)]
    took_s: list[float] = []
    async with running("embedded") as url:
        client = ToxiproxyClient(url)
        await client.create("theirs", "127.0.0.1:0", "127.0.0.1:9")
        await client.add_toxic("theirs", "limplock-0.not-ours", "latency", "to_caller", {})

        async def kill_some() -> None:
            async with nursery(url, folder) as mother:
                while moments:
                    took_s.append(await kill_at(*moments.pop(), mother, client))

        async with asyncio.TaskGroup() as lanes:
            for _ in range(AT_ONCE):
                lanes.create_task(kill_some())
        assert set(await client.list()) == {"theirs"}
        assert await client.toxics("theirs") == ("limplock-0.not-ours",)
    took_s.sort()
    assert took_s[int(MOSTLY * KILLS)] < SOON_S, took_s
