"""What a janitor does when its run is gone, and what is done when the janitor is gone as well."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from harness.cli import run_command_line
from harness.errors import CleanupUnverified
from harness.serving.journal import journal_folder
from harness.serving.leftovers import refuse_leftovers
from tests.faults.toxiproxy.servers import BOTH, running

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
RUN = "limplock-light"
PROXY = f"{RUN}.worker-0"
WITHIN_S = 15.0
NOT_OURS = f"{RUN}-2.worker-0"  # begins as ours do


@dataclass(frozen=True)
class LightRun:
    """See `light_run.py`."""

    main: asyncio.subprocess.Process
    janitor: int
    worker: int
    client: ToxiproxyClient

    async def power_cut(self) -> None:
        """Both at once, as nothing else ends them."""
        os.kill(self.janitor, signal.SIGKILL)
        os.kill(self.main.pid, signal.SIGKILL)
        await self.main.wait()
        await until(lambda: gone(self.janitor))


@pytest.fixture(params=BOTH)
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ToxiproxyClient]:
    """Somebody else's, with a proxy of theirs."""
    async with running(request.param) as url:
        client = ToxiproxyClient(url)
        await client.create(NOT_OURS, "127.0.0.1:0", "127.0.0.1:9")
        yield client


@pytest.fixture
async def run(
    server: ToxiproxyClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LightRun]:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    main = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parent / "light_run.py"),
        *(RUN, server.url, str(journal_folder())),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    pids = [int(pid) for pid in (await main.stdout.readline()).split()]
    assert len(pids) == 3, await main.stderr.read()
    assert await server.toxics(PROXY) == (f"{PROXY}.latency_to_caller",)
    yield LightRun(main, pids[1], pids[2], server)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    await main.communicate()


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not holds():
            await asyncio.sleep(0.02)


async def assert_nothing_left(run: LightRun) -> None:
    await until(lambda: gone(run.worker) and gone(run.janitor) and os.listdir(journal_folder()) == [])
    assert set(await run.client.list()) == {NOT_OURS}


# The janitor.


async def test_a_stopped_worker_a_toxic_and_the_journal_go_when_the_run_is_killed(run: LightRun) -> None:
    run.main.kill()
    await assert_nothing_left(run)


async def test_sigkill_of_the_whole_process_group_spares_the_janitor(run: LightRun) -> None:
    os.killpg(run.main.pid, signal.SIGKILL)
    await assert_nothing_left(run)


async def test_no_signal_but_sigkill_ends_a_janitor_before_its_run(run: LightRun) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        os.kill(run.janitor, number)
    await asyncio.sleep(0.3)
    assert not gone(run.janitor)
    run.main.kill()
    await assert_nothing_left(run)


# report 18: chaos-mesh#4392
async def test_a_run_that_is_stopped_loses_its_toxics_and_keeps_its_proxies(run: LightRun) -> None:
    listen = (await run.client.list())[PROXY].listen
    os.kill(run.main.pid, signal.SIGSTOP)
    async with asyncio.timeout(WITHIN_S):
        while PROXY not in await run.client.list() or await run.client.toxics(PROXY):
            await asyncio.sleep(0.1)
    assert (await run.client.list())[PROXY].listen == listen
    assert psutil.Process(run.worker).status() != psutil.STATUS_STOPPED
    run.main.kill()
    await assert_nothing_left(run)


async def test_a_run_whose_janitor_is_killed_notices_and_cleans_up_itself(run: LightRun) -> None:
    os.kill(run.janitor, signal.SIGKILL)
    _, errors = await run.main.communicate()
    assert b"the janitor has ended: no fault is started without one" in errors
    assert set(await run.client.list()) == {NOT_OURS}


async def test_a_janitor_is_small_and_loads_no_model(run: LightRun) -> None:
    janitor = psutil.Process(run.janitor)
    assert janitor.memory_info().rss < 80e6
    assert not [each.path for each in janitor.memory_maps() if "torch" in each.path]


# After a power cut.


async def refusal() -> str:
    with pytest.raises(CleanupUnverified) as told:
        await asyncio.to_thread(refuse_leftovers)
    return str(told.value)


async def recover(*options: str) -> tuple[int, str]:
    """Exit code and output of `limplock recover`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "harness", "recover", *options),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()


async def test_after_a_power_cut_nothing_starts_until_recover_has_removed_what_is_left(run: LightRun) -> None:
    await run.power_cut()
    line = await refusal()
    assert f"left of run {RUN}: proxies {RUN}.* at {run.client.url}; stopped worker process" in line
    assert line.endswith("Run `limplock recover` first")
    code, told = await recover()
    assert (code, [line.rpartition(": ")[2] for line in told.splitlines()]) == (0, ["gone", "gone"])
    await assert_nothing_left(run)
    await asyncio.to_thread(refuse_leftovers)
    assert await recover() == (0, "nothing is left of any run\n")


async def test_a_run_that_is_alive_is_no_obstacle_and_recover_leaves_it_alone(run: LightRun) -> None:
    await asyncio.to_thread(refuse_leftovers)
    assert await recover() == (0, "nothing is left of any run\n")
    assert not gone(run.worker)
    assert await run.client.toxics(PROXY)


@pytest.mark.parametrize("command", [["run", "healthy"], ["demo"], ["serve"], ["validate", "healthy"]])
async def test_every_command_that_would_inject_refuses_and_none_that_only_reads(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "harness.serving.leftovers.left_behind.__kwdefaults__", {"wait_s": 0.0}, raising=False
    )
    monkeypatch.chdir(tmp_path)
    journal_folder().mkdir(parents=True)
    (journal_folder() / "limplock-gone.journal").write_text("not a journal\n")
    started_s = time.monotonic()
    assert await asyncio.to_thread(run_command_line, command) == 6
    assert time.monotonic() - started_s < WITHIN_S
    (line,) = capsys.readouterr().err.splitlines()
    assert "limplock-gone.journal is damaged, line 1 is no header" in line
    assert os.listdir(tmp_path) == ["cache"]
    assert await asyncio.to_thread(run_command_line, ["list", "faults"]) == 0


async def test_what_cannot_be_undone_stays_until_the_user_says_that_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that cannot be reached, and a journal that nobody can read."""
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    folder = journal_folder()
    folder.mkdir()
    (folder / "limplock-a.journal").write_text(
        '{"run":"limplock-a","pid":1,"started_s":0.5,"boot":"another","version":1}\n'
        '{"op":"open","entry":{"type":"proxies","url":"http://127.0.0.1:1","run_name":"limplock-a"}}\n'
    )
    (folder / "limplock-b.journal").write_text("")
    code, told = await recover()
    assert code == 6
    assert "limplock-a: proxies limplock-a.* at http://127.0.0.1:1: NOT undone: cannot reach" in told
    assert "limplock-b.journal is damaged, it is empty" in told
    assert "limplock recover --forget" in told
    code, told = await recover("--forget")
    assert (code, "limplock-a: forgotten, as you asked" in told) == (0, True)
    assert os.listdir(folder) == []
