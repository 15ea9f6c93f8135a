"""Faults of a real worker process: stopped, crowded, crashed; and what is left when their makers die."""

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import psutil
import pytest
import pytest_asyncio

from faults.fault import LEASE_S
from faults.process.cpu_hog import CpuHog
from faults.process.gpu_hog import GpuHog
from faults.process.gpu_limit import GpuClockLimit, GpuPowerLimit
from faults.process.killed import Killed
from faults.process.memory_pressure import MEGABYTE, MemoryPressure
from faults.process.restarted import Restarted
from faults.process.stopped import Stopped
from faults.shape import Flapping
from faults.site import Neighbour
from harness.errors import EnvironmentFault
from harness.serving.journal_entries import Entry, NeighbourProcess, StoppedProcess
from harness.serving.pool import Pool
from harness.serving.process_identity import is_stopped
from harness.serving.real_process import RealProcess
from harness.serving.sidecar import STOP_LIMIT_S
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_process import WorkerConfig

pytestmark = [pytest.mark.real, pytest.mark.asyncio(loop_scope="module")]
GONE_WITHIN_S = 2.0
ROOT = Path(__file__).parent.parent.parent
BODY = {"prompt": "The class ", "max_tokens": 16, "ignore_eos": True}
TRIES = 3  # another program may take the processor at the wrong moment


class Remembered:
    """A journal that remembers in which order it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Entry]] = []

    def intend(self, entry: Entry) -> None:
        self.told.append(("intend", entry))

    def done(self, entry: Entry) -> None:
        self.told.append(("done", entry))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def pool() -> AsyncIterator[Pool]:
    """Workers without padding: what they compute is all that their steps take."""
    async with Pool([WorkerConfig(name=f"worker-{n}", step_floor_s=0.0) for n in range(2)]) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def journal() -> Remembered:
    return Remembered()


@pytest_asyncio.fixture(loop_scope="module")
async def site(pool: Pool, journal: Remembered) -> RealProcess:
    site = RealProcess("worker-0", pool, journal)
    await site.restart()  # whatever a test before has left
    journal.told.clear()
    return site


def pid(pool: Pool, name: str = "worker-0") -> int:
    return pool.workers[name].process.pid or 0


async def answers_s(pool: Pool, limit_s: float, name: str = "worker-0") -> float | None:
    """How long one completion takes, None if it takes longer than that or is refused."""
    started_s = time.monotonic()
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=limit_s)) as http,
            http.post(pool.workers[name].url + "/v1/completions", json=BODY) as response,
        ):
            await response.read()
            return time.monotonic() - started_s if response.status == 200 else None
    except (TimeoutError, aiohttp.ClientError):
        return None


async def step_s(pool: Pool, name: str, for_s: float = 1.5) -> float:
    """Computed seconds of a step, while the worker has all the work that it can take."""
    async with WorkerAdmin(name, pool.workers[name].url) as admin:
        before = await admin.state()
        end_s = time.monotonic() + for_s
        while time.monotonic() < end_s:
            await asyncio.gather(*(answers_s(pool, 30, name) for _ in range(4)))
        after = await admin.state()
    assert before is not None
    assert after is not None
    return (after.compute_seconds - before.compute_seconds) / (after.steps - before.steps)


async def test_a_stopped_worker_takes_connections_and_answers_nobody_then_goes_on(
    pool: Pool, site: RealProcess, journal: Remembered
) -> None:
    async with Stopped().install(site):
        _, writer = await asyncio.open_connection("127.0.0.1", pool.workers["worker-0"].ready.port)
        writer.close()
        held = asyncio.create_task(answers_s(pool, 30))
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.5)) as http:
            with pytest.raises(TimeoutError):
                await http.get(pool.workers["worker-0"].url + "/health")
        assert is_stopped(pid(pool))
        assert not held.done()
        assert await answers_s(pool, 30, "worker-1") is not None
    assert not is_stopped(pid(pool))
    assert await held is not None
    assert [(what, type(entry)) for what, entry in journal.told] == [
        ("intend", StoppedProcess),
        ("done", StoppedProcess),
    ]


@pytest.mark.parametrize(("ratio", "period_s"), [(0.5, 0.2), (0.2, 0.4), (0.8, 0.1)])
async def test_a_worker_is_stopped_for_the_share_of_time_that_was_asked(
    pool: Pool, site: RealProcess, ratio: float, period_s: float
) -> None:
    """Watched from outside, by samples of ours that know nothing of the schedule."""
    process = psutil.Process(pid(pool))
    async with Stopped(stopped_ratio=ratio, period_s=period_s).install(site):
        first = await site.seen()
        looks = []
        end_s = time.monotonic() + 4 * period_s + 1
        while time.monotonic() < end_s:
            looks.append(process.status() == psutil.STATUS_STOPPED)
            await asyncio.sleep(0.003)
        last = await site.seen()
    stopped_s = last["stopped_seconds"] - first["stopped_seconds"]
    assert stopped_s / (last["watched_seconds"] - first["watched_seconds"]) == pytest.approx(ratio, abs=0.05)
    assert statistics.fmean(looks) == pytest.approx(ratio, abs=0.15)


async def test_a_stopped_worker_runs_again_when_nobody_renews_the_lease(
    pool: Pool, site: RealProcess
) -> None:
    await site.stop(1.0, 0.2, 1.5)
    assert await becomes(lambda: is_stopped(pid(pool)))  # the system takes a moment on a busy machine
    assert await becomes(lambda: not is_stopped(pid(pool)))
    await site.resume()


async def becomes(true: Callable[[], bool], limit_s: float = 10.0) -> bool:
    give_up_s = time.monotonic() + limit_s
    while not true() and time.monotonic() < give_up_s:
        await asyncio.sleep(0.02)
    return true()


async def test_whoever_asks_what_is_seen_while_the_fault_is_lifted_hears_the_end_at_once(
    pool: Pool, site: RealProcess
) -> None:
    await site.stop(0.5, 0.2, LEASE_S)
    assert site._stopper is not None
    os.kill(site._stopper.pid, signal.SIGSTOP)  # too busy to answer
    number, asked_s = site._stopper._pipe.fileno(), time.monotonic()
    asking = asyncio.create_task(site.seen())
    await asyncio.sleep(0.05)
    lifting = asyncio.create_task(site.resume())
    assert await asking == {}
    assert time.monotonic() - asked_s < STOP_LIMIT_S / 2
    await lifting
    assert not asyncio.get_running_loop().remove_reader(number)


async def test_a_stopper_that_is_killed_is_replaced_and_healing_still_makes_the_worker_run(
    pool: Pool, site: RealProcess
) -> None:
    async with Stopped().install(site):
        assert site._stopper is not None
        first = site._stopper.pid
        os.kill(first, signal.SIGKILL)
        await asyncio.sleep(LEASE_S / 2)
        assert site._stopper.pid != first
        assert is_stopped(pid(pool))
        os.kill(site._stopper.pid, signal.SIGKILL)
    assert not is_stopped(pid(pool))
    assert await answers_s(pool, 30) is not None


async def test_hogs_take_their_share_of_the_computing_of_their_worker_and_give_it_back(
    pool: Pool, site: RealProcess, journal: Remembered
) -> None:
    """Each worker against itself before, both in turn: whatever else the machine does meets both."""
    cpus = os.sched_getaffinity(pid(pool))
    healthy_s, other_healthy_s = await step_s(pool, "worker-0"), await step_s(pool, "worker-1")
    async with CpuHog(hogs=3).install(site):
        assert len({frozenset(os.sched_getaffinity(int(t))) for t in threads(pid(pool))}) == 1
        assert len(os.sched_getaffinity(pid(pool))) == 1
        for _ in range(TRIES):
            crowded_s, other_s = await step_s(pool, "worker-0"), await step_s(pool, "worker-1")
            if crowded_s / healthy_s > other_s / other_healthy_s:
                break
        hogs = [
            entry.pid
            for what, entry in journal.told
            if what == "intend" and isinstance(entry, NeighbourProcess)
        ]
        assert len(hogs) == 3
        assert {psutil.Process(hog).nice() for hog in hogs} == {psutil.Process(pid(pool)).nice()}
    assert not any(psutil.pid_exists(hog) for hog in hogs)
    assert all(os.sched_getaffinity(int(thread)) == cpus for thread in threads(pid(pool)))
    assert crowded_s > 2 * healthy_s
    assert crowded_s / healthy_s > other_s / other_healthy_s
    assert journal.told[-1][0] == "done"


async def test_a_worker_stays_with_the_hogs_that_are_left_when_some_of_them_go(
    pool: Pool, site: RealProcess
) -> None:
    cpus = os.sched_getaffinity(pid(pool))
    await site.crowd(Neighbour("cpu", 3), LEASE_S)
    await site.crowd(Neighbour("cpu", 1), LEASE_S)
    assert (await site.seen())["neighbours"] == 1
    assert all(len(os.sched_getaffinity(int(thread))) == 1 for thread in threads(pid(pool)))
    await site.uncrowd()
    assert all(os.sched_getaffinity(int(thread)) == cpus for thread in threads(pid(pool)))


async def test_more_memory_than_there_is_is_refused_too_when_it_comes_bit_by_bit(site: RealProcess) -> None:
    await site.crowd(Neighbour("memory", MEGABYTE), LEASE_S)
    with pytest.raises(EnvironmentFault, match=r"memory_pressure of \d+ MB is more than the \d+ MB"):
        await site.crowd(Neighbour("memory", 10_000_000 * MEGABYTE), LEASE_S)


def threads(of: int) -> list[str]:
    return os.listdir(f"/proc/{of}/task")


async def test_a_neighbour_holds_the_memory_that_was_asked_and_dies_first(
    pool: Pool, site: RealProcess, journal: Remembered
) -> None:
    async with MemoryPressure(megabytes=200).install(site):
        await asyncio.sleep(0.5)
        seen = await site.seen()
        ((_, hog),) = journal.told
        assert isinstance(hog, NeighbourProcess)
        assert psutil.Process(hog.pid).is_running()
        assert oom_score_adj(hog.pid) == 1000
    assert seen["neighbour_megabytes"] == pytest.approx(200, rel=0.05)
    assert not psutil.pid_exists(hog.pid)


def oom_score_adj(of: int) -> int:
    return int(Path(f"/proc/{of}/oom_score_adj").read_text())


async def test_more_memory_than_there_is_is_refused_in_one_line(site: RealProcess) -> None:
    with pytest.raises(EnvironmentFault, match=r"memory_pressure of \d+ MB is more than the \d+ MB"):
        async with MemoryPressure(megabytes=10_000_000).install(site):
            raise AssertionError("the block ran")


@pytest.mark.parametrize("fault", [GpuHog(), GpuPowerLimit(), GpuClockLimit()], ids=lambda f: f.kind)
async def test_what_needs_a_card_is_refused_in_one_line_without_one(
    site: RealProcess, journal: Remembered, fault: GpuHog | GpuPowerLimit | GpuClockLimit
) -> None:
    line = r"needs worker-0 on CUDA, it is on cpu\. Use "
    with pytest.raises(EnvironmentFault, match=line):
        await site.check_process(fault.neighbour() if isinstance(fault, GpuHog) else fault.limit())
    with pytest.raises(EnvironmentFault, match=line):
        async with fault.install(site):
            raise AssertionError("the block ran")
    assert journal.told == []


async def test_a_restarted_worker_serves_again_at_the_same_url(pool: Pool, site: RealProcess) -> None:
    url, before = pool.workers["worker-0"].url, pid(pool)
    async with Restarted(down_s=0.5).install(site):
        assert await answers_s(pool, 5) is None
        await asyncio.sleep(0.3)
        assert await answers_s(pool, 5) is None
    assert pool.workers["worker-0"].url == url
    assert pid(pool) != before
    assert await answers_s(pool, 30) is not None


async def test_a_crash_loop_is_a_new_process_each_time(pool: Pool, site: RealProcess) -> None:
    seen = {pid(pool)}
    async with Killed(shape=Flapping(on_s=0.2, off_s=1.0)).install(site):
        end_s = time.monotonic() + 3.5
        while time.monotonic() < end_s:
            seen.add(pid(pool))
            await asyncio.sleep(0.05)
    assert len(seen) >= 3


async def test_a_worker_that_is_gone_is_neither_stopped_nor_crowded(site: RealProcess) -> None:
    await site.kill()
    for fault in (Stopped(), CpuHog()):
        with pytest.raises(ConnectionError, match=r"worker-0 .* it is gone"):
            async with fault.install(site):
                raise AssertionError("the block ran")


CONTROLLER = """
import asyncio, json, os
from faults.process.cpu_hog import CpuHog
from faults.process.memory_pressure import MemoryPressure
from faults.process.stopped import Stopped
from harness.serving.pool import Pool
from harness.serving.real_process import RealProcess
from harness.serving.worker_process import WorkerConfig

async def main():
    async with Pool([WorkerConfig(name=f"worker-{n}") for n in range(2)]) as pool:
        stopped, crowded = (RealProcess(name, pool) for name in pool.workers)
        async with Stopped().install(stopped), CpuHog(hogs=1).install(crowded):
            print(json.dumps([each.process.pid for each in pool.workers.values()]), flush=True)
            await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_a_controller_that_is_killed_leaves_neither_a_stopped_worker_nor_a_hog(tmp_path: Path) -> None:
    await asyncio.to_thread(kill_a_controller, tmp_path / "controller.py")


def kill_a_controller(script: Path) -> None:
    script.write_text(CONTROLLER)
    program = subprocess.Popen(
        [sys.executable, str(script)], env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
    )
    family: list[psutil.Process] = []
    try:
        assert program.stdout is not None
        workers = json.loads(program.stdout.readline())
        family = psutil.Process(program.pid).children(recursive=True)
        assert is_stopped(workers[0])
        assert {process.pid for process in family} >= set(workers)
        assert len(family) >= 5  # the forkserver, two workers, a stopper, a hog
        program.kill()
        give_up_s = time.monotonic() + GONE_WITHIN_S
        while (left := [each for each in family if lives(each)]) and time.monotonic() < give_up_s:
            time.sleep(0.02)
        assert left == []
    finally:
        for process in family:
            if lives(process):
                process.kill()
        program.kill()
        program.communicate()


def lives(process: psutil.Process) -> bool:
    """A zombie has ended; where nobody collects orphans it stays one."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
