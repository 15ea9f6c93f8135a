"""The server of a run: chosen, started, and gone with its run, however the run ends."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault
from harness.serving.journal import Journal
from harness.serving.proxy_server import EMBEDDED, EXTERNAL, PROGRAM, open_toxiproxy
from tests.faults.toxiproxy.servers import BOTH, connect, hang_up, needs_program, running

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent.parent
RUN = "limplock-test"
MOMENTS = 4
GONE_WITHIN_S = 5.0  # about 1 s on a machine that is not busy

# Says its pids and ports in one line, then waits to be ended. A forkserver without preload starts faster.
MAIN = f"""
import asyncio, multiprocessing, sys
from pathlib import Path
from harness.serving.janitor_process import guarded
from harness.serving.proxy_server import open_toxiproxy

async def main():
    context = multiprocessing.get_context("forkserver")
    async with (
        guarded("{RUN}", Path(sys.argv[2])) as (journal, janitor),
        open_toxiproxy(sys.argv[1], "{RUN}", journal, context=context) as running,
    ):
        proxy = await running.client.create("{RUN}.worker-1", "127.0.0.1:0", "127.0.0.1:9")
        print(*running.pids, running.url.rpartition(":")[2], proxy.listen.rpartition(":")[2], flush=True)
        await asyncio.sleep(60)

if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
"""


@pytest.fixture(params=BOTH)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """`auto` finds the original on PATH, or nothing there."""
    if request.param == "embedded":
        monkeypatch.setenv("PATH", "/nowhere")
        return EMBEDDED
    return PROGRAM


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Of a run that leaves nothing."""
    journal = Journal(RUN, tmp_path)
    yield journal
    journal.close()


def runs(pid: int) -> bool:
    """A zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_auto_takes_the_program_on_path_or_else_ours(journal: Journal, kind: str) -> None:
    async with open_toxiproxy("auto", RUN, journal) as opened:
        assert opened.kind == kind
        assert await opened.client.version() == opened.version
        assert all(runs(pid) for pid in opened.pids)
        proxy = await opened.client.create(f"{RUN}.w", "127.0.0.1:0", "127.0.0.1:9")
    assert not any(runs(pid) for pid in opened.pids)
    await assert_closed(proxy.listen.rpartition(":")[2], opened.url.rpartition(":")[2])


async def test_the_server_spoken_to_is_the_one_that_was_started(journal: Journal, kind: str) -> None:
    async with open_toxiproxy("auto", RUN, journal) as opened:
        ports = {
            socket.laddr.port
            for pid in opened.pids
            for socket in psutil.Process(pid).net_connections("tcp")
            if socket.status == psutil.CONN_LISTEN
        }
        assert ports == {int(opened.url.rpartition(":")[2])}


async def test_leaving_by_an_error_ends_it_too(journal: Journal, kind: str) -> None:
    with pytest.raises(ArithmeticError, match="ours"):
        async with open_toxiproxy("auto", RUN, journal) as opened:
            raise ArithmeticError("ours")
    assert not any(runs(pid) for pid in opened.pids)


async def test_a_server_that_was_killed_is_no_trouble_on_leaving(journal: Journal, kind: str) -> None:
    async with open_toxiproxy("auto", RUN, journal) as opened:
        for pid in opened.pids:
            os.kill(pid, signal.SIGKILL)
    assert not any(runs(pid) for pid in opened.pids)


async def test_a_server_that_hangs_is_ended_on_leaving(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.serving.proxy_child.STOP_LIMIT_S", 0.3)
    async with open_toxiproxy("embedded", RUN, journal) as opened:
        os.kill(opened.pids[0], signal.SIGSTOP)
    assert not runs(opened.pids[0])


async def test_a_program_that_is_no_server_is_an_environment_fault(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / PROGRAM
    fake.write_text("#!/bin/sh\necho out of order\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match=r"ended at once with exit code 3: out of order.*--toxiproxy"):
        async with open_toxiproxy("auto", RUN, journal):
            pass


@pytest.mark.parametrize(
    "choice",
    ["nothing", "ftp://127.0.0.1:8474", "http://127.0.0.1", "http://10.0.0.1:8474", "http://127.0.0.1:x", ""],
)
async def test_another_choice_is_bad_input(journal: Journal, choice: str) -> None:
    with pytest.raises(BadInput, match="--toxiproxy"):
        async with open_toxiproxy(choice, RUN, journal):
            pass


async def test_nobody_at_the_url_is_an_environment_fault_with_a_remedy(journal: Journal) -> None:
    with pytest.raises(EnvironmentFault, match=r"connection refused.*or use --toxiproxy embedded"):
        async with open_toxiproxy("http://127.0.0.1:1", RUN, journal):
            pass


# A server that is not ours.


@pytest.fixture(params=BOTH)
async def theirs(request: pytest.FixtureRequest) -> AsyncIterator[ToxiproxyClient]:
    """Somebody else's server, with a proxy of theirs."""
    async with running(request.param) as url:
        client = ToxiproxyClient(url)
        await client.create("theirs", "127.0.0.1:0", "127.0.0.1:9")
        yield client


async def test_on_a_server_that_is_not_ours_only_our_proxies_go(
    journal: Journal, theirs: ToxiproxyClient
) -> None:
    await theirs.add_toxic("theirs", "t", "latency", "to_caller", {})
    async with open_toxiproxy(theirs.url, RUN, journal) as opened:
        assert opened.kind == EXTERNAL
        await opened.client.create(f"{RUN}.w", "127.0.0.1:0", "127.0.0.1:9")
    assert set(await theirs.list()) == {"theirs"}
    assert await theirs.toxics("theirs") == ("t",)
    assert not any(runs(pid) for pid in opened.pids)


async def test_proxies_that_cannot_be_deleted_are_told(journal: Journal) -> None:
    async with AsyncExitStack() as server:
        url = await server.enter_async_context(running("embedded"))
        with pytest.raises(CleanupUnverified, match=rf"proxies named {RUN}\* may be left"):
            async with open_toxiproxy(url, RUN, journal):
                await server.aclose()


# However the main process ends.


@pytest.fixture
def mains(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for main in started:
        main.kill()
        main.communicate()


def start(mains: list[subprocess.Popen[str]], tmp_path: Path, choice: str) -> subprocess.Popen[str]:
    """A main process in a process group of its own, marked so that its whole family can be found."""
    script = tmp_path / "main.py"
    script.write_text(MAIN)
    env = os.environ | {"LIMPLOCK_TEST_MARK": str(tmp_path), "PYTHONPATH": str(ROOT)}
    mains.append(
        subprocess.Popen(
            [sys.executable, str(script), choice, str(tmp_path / "journals")],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    )
    return mains[-1]


def family(tmp_path: Path) -> list[psutil.Process]:
    """Every living process with the mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("LIMPLOCK_TEST_MARK") == str(tmp_path) and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_until_gone(tmp_path: Path) -> list[psutil.Process]:
    give_up_s = time.monotonic() + GONE_WITHIN_S
    while (left := family(tmp_path)) and time.monotonic() < give_up_s:
        time.sleep(0.02)
    return left


async def assert_closed(*ports: str) -> None:
    """Nobody listens any more. A port that is being closed resets callers for a moment."""
    async with asyncio.timeout(GONE_WITHIN_S):
        for port in ports:
            while await answers(port):
                await asyncio.sleep(0.02)


async def answers(port: str) -> bool:
    try:
        _, writer = await connect(f"127.0.0.1:{port}")
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:
        return True
    await hang_up(writer)
    return True


def told(main: subprocess.Popen[str]) -> list[str]:
    """Pids of the server if it is ours, control port, proxy port."""
    line = main.stdout.readline().split()
    assert len(line) >= 2, main.stderr.read()
    return line


def moments() -> list[float]:
    """Seconds after the start: from imports to under way."""
    rng = random.Random("proxies")
    return [round(rng.uniform(0.0, 2.5), 2) for _ in range(MOMENTS)]


@pytest.mark.parametrize("moment_s", moments())
def test_sigkill_at_any_moment_leaves_no_process(kind: str, mains, tmp_path: Path, moment_s: float) -> None:
    main = start(mains, tmp_path, "auto")
    time.sleep(moment_s)
    main.kill()
    assert wait_until_gone(tmp_path) == []


async def test_sigkill_under_way_closes_every_port(kind: str, mains, tmp_path: Path) -> None:
    main = start(mains, tmp_path, "auto")
    *pids, control, proxy = told(main)
    assert len(pids) == (1 if kind == EMBEDDED else 2)
    main.kill()
    assert wait_until_gone(tmp_path) == []
    await assert_closed(control, proxy)


@needs_program
async def test_a_killed_guardian_takes_its_program_along(mains, tmp_path: Path) -> None:
    main = start(mains, tmp_path, "auto")
    *pids, control, proxy = told(main)
    by_name = {psutil.Process(int(pid)).name(): int(pid) for pid in pids}
    guardian = next(pid for name, pid in by_name.items() if name != PROGRAM)
    os.kill(guardian, signal.SIGKILL)
    give_up_s = time.monotonic() + GONE_WITHIN_S
    while runs(by_name[PROGRAM]) and time.monotonic() < give_up_s:
        await asyncio.sleep(0.02)
    await assert_closed(control, proxy)


async def test_ctrl_c_to_the_whole_group_ends_all_without_a_word(kind: str, mains, tmp_path: Path) -> None:
    main = start(mains, tmp_path, "auto")
    *_, control, proxy = told(main)
    os.killpg(main.pid, signal.SIGINT)
    _, errors = await asyncio.to_thread(main.communicate, timeout=30)
    assert errors == ""
    assert wait_until_gone(tmp_path) == []
    await assert_closed(control, proxy)


async def test_sigkill_takes_our_proxies_off_a_server_that_is_not_ours(
    theirs: ToxiproxyClient, mains, tmp_path: Path
) -> None:
    main = start(mains, tmp_path, theirs.url)
    *_, proxy = await asyncio.to_thread(told, main)
    assert set(await theirs.list()) == {"theirs", f"{RUN}.worker-1"}
    main.kill()
    async with asyncio.timeout(GONE_WITHIN_S):
        while set(await theirs.list()) != {"theirs"}:
            await asyncio.sleep(0.02)
    await assert_closed(proxy)
    assert await asyncio.to_thread(wait_until_gone, tmp_path) == []
