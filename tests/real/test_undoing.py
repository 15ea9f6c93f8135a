"""Each entry of a journal is undone and seen to be, and nothing else is touched."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import requests

from faults.site import Toxic
from faults.toxiproxy.client import ToxiproxyClient
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving import undoing
from harness.serving.janitor_process import guarded
from harness.serving.journal_entries import GpuLimit, NeighbourProcess, ProxiesOn, ToxicsOn, start_of
from harness.serving.proxy_server import open_toxiproxy
from harness.serving.undoing import undo, undo_all
from tests.faults.toxiproxy.servers import BOTH, running

pytestmark = pytest.mark.real

RUN = "limplock-test"
TOXIC = Toxic("latency", "to_caller", {"latency": 100})


@pytest.fixture(params=BOTH)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[ToxiproxyClient]:
    """Of a server of somebody else's, with a proxy and a toxic of theirs."""
    async with running(request.param) as url:
        client = ToxiproxyClient(url)
        await client.create("theirs", "127.0.0.1:0", "127.0.0.1:9")
        await client.add_toxic("theirs", "theirs", "latency", "to_caller", {})
        yield client


# report 21: pumba#166, comcast#79
async def test_of_toxics_on_a_proxy_only_those_of_the_run_go(client: ToxiproxyClient) -> None:
    for owner in (RUN, f"{RUN}-2"):
        await client.set_toxics("theirs", owner, (TOXIC,), 600.0)
    await undo(ToxicsOn(client.url, "theirs", RUN))
    assert set(await client.toxics("theirs")) == {"theirs", f"{RUN}-2.latency_to_caller"}
    await undo(ToxicsOn(client.url, "theirs", RUN))
    await undo(ToxicsOn(client.url, "no proxy", RUN))


# report 21: pumba#166, comcast#79
async def test_of_two_runs_on_one_server_the_one_that_ends_takes_only_its_own(
    client: ToxiproxyClient, tmp_path: Path
) -> None:
    async with guarded(f"{RUN}-2", tmp_path) as (journal, _), open_toxiproxy(client.url, f"{RUN}-2", journal):
        await client.create(f"{RUN}-2.w", "127.0.0.1:0", "127.0.0.1:9")
        await client.set_toxics(f"{RUN}-2.w", f"{RUN}-2.w", (TOXIC,), 600.0)
        async with guarded(RUN, tmp_path) as (other, _), open_toxiproxy(client.url, RUN, other):
            await client.create(f"{RUN}.w", "127.0.0.1:0", "127.0.0.1:9")
        assert set(await client.list()) == {"theirs", f"{RUN}-2.w"}
        assert await client.toxics(f"{RUN}-2.w") == (f"{RUN}-2.w.latency_to_caller",)
    assert set(await client.list()) == {"theirs"}


async def test_nothing_but_what_is_ours_is_written_to_and_nothing_is_reset(
    client: ToxiproxyClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    send = requests.Session.request

    def note(session: requests.Session, method: str, url: str, **options: object) -> requests.Response:
        if method.upper() != "GET":
            written.append(f"{method.upper()} {urlsplit(url).path}")
        return send(session, method, url, **options)

    monkeypatch.setattr(requests.Session, "request", note)
    async with (
        guarded(RUN, tmp_path) as (journal, _),
        open_toxiproxy(client.url, RUN, journal) as toxiproxy,
    ):
        await toxiproxy.client.create(f"{RUN}.w", "127.0.0.1:0", "127.0.0.1:9")
        await toxiproxy.client.set_toxics(f"{RUN}.w", f"{RUN}.w", (TOXIC,), 600.0)
        await undo(ProxiesOn(client.url, RUN))
    assert f"DELETE /proxies/{RUN}.w" in written
    assert [each for each in written if each != "POST /proxies" and f"/proxies/{RUN}.w" not in each] == []


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A GPU that has another limit than before."""
    card = SimpleNamespace(limit=100_000, takes=True)

    def set_limit(_: object, limit: int) -> None:
        card.limit = limit if card.takes else card.limit

    nvml = SimpleNamespace(
        NVMLError=OSError,
        NVMLError_NoPermission=PermissionError,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceSetPowerManagementLimit=set_limit,
        nvmlDeviceGetPowerManagementLimit=lambda _: card.limit,
    )
    monkeypatch.setattr("harness.serving.gpu_limits.load_nvml", lambda: nvml)
    return card


async def test_a_gpu_gets_the_limit_back_that_it_had(card: SimpleNamespace) -> None:
    await undo(GpuLimit(0, "power", 250.0))
    assert card.limit == 250_000


async def test_what_cannot_be_undone_holds_up_nothing_else(card: SimpleNamespace) -> None:
    card.takes = False
    hog = subprocess.Popen(["/bin/sleep", "60"])  # noqa: ASYNC220 - it comes at once
    limit, process = GpuLimit(0, "power", 250.0), NeighbourProcess(hog.pid, start_of(hog.pid))
    nobody = ProxiesOn("http://127.0.0.1:1", RUN)
    failed = await undo_all((limit, nobody, process))
    assert "the power limit of GPU 0 is 100 W, not 250 W" in failed[limit]
    assert "cannot reach Toxiproxy at http://127.0.0.1:1" in failed[nobody]
    assert set(failed) == {limit, nobody}
    assert hog.wait() != 0


async def test_without_a_driver_a_limit_is_not_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise EnvironmentFault("there is no NVIDIA driver to set limits with")

    monkeypatch.setattr(undoing, "restore", absent)
    with pytest.raises(CleanupUnverified, match="no NVIDIA driver"):
        await undo(GpuLimit(0, "power", 250.0))
