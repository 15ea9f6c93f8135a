"""Faults of the link on a server that others use too: whose they are, and that they end whatever happens."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from faults.link.link_black_hole import LinkBlackHole
from faults.link.link_first_byte import LinkFirstByte
from faults.link.link_latency import LinkLatency
from faults.link.link_slow_accept import LinkSlowAccept
from faults.toxiproxy.client import Proxy, ToxiproxyClient
from harness import real_deployment
from harness.config import find_preset
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.judging.history import History
from harness.serving.http_link import HttpLink
from harness.serving.link import Link
from harness.serving.probe import Ended, Probe
from harness.serving.real_site import RealSite
from harness.serving.recorder import Recorder
from harness.serving.worker_admin import WorkerAdmin
from harness.suite import Planned
from policies.pipeline import Pipeline
from scenarios import SCENARIOS
from tests.faults.toxiproxy.servers import BOTH, connect, echo, hang_up, needs_program, running, worker
from tests.harness.serving.memory_stand import attempt
from tests.real.test_link_parity import served_worker

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
LATENCY_S = 0.5

# Holds a fault on a link of somebody else's server until it is killed, and says when it is there.
CONTROLLER = f"""
import asyncio, sys
from faults.link.link_latency import LinkLatency
from faults.toxiproxy.client import ToxiproxyClient
from harness.serving.real_site import RealSite

async def main():
    client = ToxiproxyClient(sys.argv[1])
    proxy = (await client.list())["run.worker-0"]
    async with LinkLatency(latency_s={LATENCY_S}).install(RealSite("worker-0", None, None, client, proxy)):
        print("there", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@dataclass
class Server:
    """A Toxiproxy that several use, and one worker behind all its proxies."""

    kind: str
    client: ToxiproxyClient
    worker_url: str
    admin: WorkerAdmin
    links: list[HttpLink] = field(default_factory=list)

    async def link(self, name: str) -> tuple[RealSite, HttpLink]:
        """A link of the run and worker so named, and what a fault may touch of it."""
        address = self.worker_url.removeprefix("http://")
        proxy = await self.client.create(name, "127.0.0.1:0", address)
        link = HttpLink(f"http://{proxy.listen}", name)
        self.links.append(link)
        return RealSite(name, self.admin, None, self.client, proxy, link), link


@pytest.fixture(params=BOTH)
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    async with AsyncExitStack() as stack:
        client = ToxiproxyClient(await stack.enter_async_context(running(request.param)))
        served, _ = await stack.enter_async_context(served_worker())
        admin = await stack.enter_async_context(WorkerAdmin("worker-0", served.url))
        made = Server(request.param, client, served.url, admin)
        yield made
        for link in made.links:
            await link.close()


async def is_late(link: Link) -> bool:
    first_s = (await link.probe()).first_s
    return first_s is not None and first_s >= LATENCY_S


# report 21: alexei-led/pumba#166
async def test_ending_one_run_leaves_the_fault_of_another_on_the_same_server(server: Server) -> None:
    (one, first), (other, second) = await server.link("run-a.worker-0"), await server.link("run-b.worker-0")
    async with LinkLatency(latency_s=LATENCY_S).install(other):
        async with LinkLatency(latency_s=LATENCY_S).install(one):
            assert await asyncio.gather(is_late(first), is_late(second)) == [True, True]
        assert await server.client.toxics("run-a.worker-0") == ()
        assert await server.client.toxics("run-b.worker-0") == ("run-b.worker-0.latency_to_caller",)
        assert await asyncio.gather(is_late(first), is_late(second)) == [False, True]
    assert await server.client.toxics("run-b.worker-0") == ()


async def test_toxics_of_strangers_on_our_own_proxy_stay_where_taking_ours_off_is_safe() -> None:
    async with running("embedded") as url, worker(echo) as address:
        client = ToxiproxyClient(url)
        proxy = await client.create("run.worker-0", "127.0.0.1:0", address)
        await client.add_toxic(proxy.name, "theirs", "latency", "to_caller", {"latency": 1})
        async with LinkLatency(latency_s=LATENCY_S).install(RealSite("worker-0", None, None, client, proxy)):
            assert len(await client.toxics(proxy.name)) == 2
        assert await client.toxics(proxy.name) == ("theirs",)


# report 18: chaos-mesh/chaos-mesh#4392, #3728
async def test_a_fault_ends_with_its_lease_when_its_controller_is_killed() -> None:
    async with running("embedded") as url, worker(echo) as address:
        client = ToxiproxyClient(url)
        proxy = await client.create("run.worker-0", "127.0.0.1:0", address)
        controller = subprocess.Popen(  # noqa: ASYNC220 - it is not waited for
            [sys.executable, "-c", CONTROLLER, url],
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        try:
            assert await asyncio.to_thread(controller.stdout.readline) == b"there\n"
            reader, writer = await connect(proxy.listen)
            await asyncio.sleep(3.5)  # longer than a lease: it is renewed
            assert len(await client.toxics(proxy.name)) == 1
        finally:
            controller.send_signal(signal.SIGKILL)
            controller.wait()
            controller.stdout.close()
        async with asyncio.timeout(10):
            while await client.toxics(proxy.name):
                await asyncio.sleep(0.1)
        writer.write(b"still there?")  # the connection that the fault was on
        assert await asyncio.wait_for(reader.read(12), LATENCY_S) == b"still there?"
        await hang_up(writer)


# report 20: envoyproxy/envoy#13069
async def test_a_long_stream_outlives_its_fault_which_is_gone_from_it_at_once() -> None:
    async with AsyncExitStack() as stack:
        client = ToxiproxyClient(await stack.enter_async_context(running("embedded")))
        served, _ = await stack.enter_async_context(served_worker())
        admin = await stack.enter_async_context(WorkerAdmin("worker-0", served.url))
        site, link = await Server("embedded", client, served.url, admin).link("run.worker-0")
        stack.push_async_callback(link.close)
        asked = attempt(tokens=60)
        stream = asyncio.create_task(link.send(asked))
        async with LinkLatency(latency_s=LATENCY_S).install(site):
            while not asked.tokens:
                await asyncio.sleep(0.01)
            (held,) = [each for each in await client.connections("run.worker-0") if each.toxics]
        (freed,) = [each for each in await client.connections("run.worker-0") if each.caller == held.caller]
        assert freed.toxics == ()
        assert not stream.done()
        assert (await stream).answered
        assert asked.tokens == 60


async def test_a_shape_is_followed_in_place(server: Server) -> None:
    site, link = await server.link("run.worker-0")
    fault = LinkLatency(latency_s=2 * LATENCY_S)
    await fault.put(site, 1.0, 3.0)
    await fault.put(site, 0.5, 3.0)
    first_s = (await link.probe()).first_s
    assert LATENCY_S <= first_s < 1.8 * LATENCY_S
    await fault.put(site, 0.0, 3.0)
    assert not await is_late(link)
    await fault.lift(site)
    assert await server.client.toxics("run.worker-0") == ()


async def test_taking_off_what_is_not_there_cuts_nobody_off(server: Server) -> None:
    site, link = await server.link("run.worker-0")
    stream = asyncio.create_task(link.send(attempt(tokens=20)))
    await asyncio.sleep(0.1)
    await site.remove_toxics()
    assert (await stream).answered


class DeadEnd:
    """A link that carries nothing whole."""

    async def probe(self) -> Probe:
        return Probe(Ended.CUT, 0.1)


async def test_a_link_that_carries_nothing_after_it_was_healed_is_told() -> None:
    async with AsyncExitStack() as stack:
        client = ToxiproxyClient(await stack.enter_async_context(running("embedded")))
        served, _ = await stack.enter_async_context(served_worker())
        admin = await stack.enter_async_context(WorkerAdmin("worker-0", served.url))
        address = served.url.removeprefix("http://")
        proxy: Proxy = await client.create("run.worker-0", "127.0.0.1:0", address)
        site = RealSite("worker-0", admin, None, client, proxy, DeadEnd())
        with pytest.raises(CleanupUnverified, match="worker-0 was healed, but a probe of it was cut"):
            async with LinkBlackHole().install(site):
                pass
        gone = WorkerAdmin("worker-0", "http://127.0.0.1:9")
        async with gone:  # of a worker that is gone nothing can be said
            await RealSite("worker-0", gone, None, client, proxy, DeadEnd()).remove_toxics()


@needs_program
async def test_the_original_is_left_alone_by_a_fault_that_it_does_not_know() -> None:
    async with running("real") as url, worker(echo) as address:
        client = ToxiproxyClient(url)
        proxy = await client.create("run.worker-0", "127.0.0.1:0", address)
        site = RealSite("worker-0", None, None, client, proxy)
        with pytest.raises(EnvironmentFault, match="has no toxic 'first_byte': use --toxiproxy embedded"):
            async with LinkFirstByte(delay_s=1).install(site):
                pass
        assert await client.toxics(proxy.name) == ()


@needs_program
async def test_what_the_original_can_never_have_is_told_before_any_worker_is_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def started(_configs: object) -> None:
        raise AssertionError("workers were started")

    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    monkeypatch.setattr(real_deployment, "Pool", started)
    scenario = replace(SCENARIOS["slow_link"], fault=LinkSlowAccept())
    planned = Planned(scenario, find_preset("none"))
    async with running("real") as url:
        options = real_deployment.Options(toxiproxy=url, toxics=planned.toxics)
        with pytest.raises(EnvironmentFault, match="has no toxic 'slow_accept': use --toxiproxy embedded"):
            async with real_deployment.deploy(
                scenario.topology, Pipeline(), Recorder(History()), 1, options=options
            ):
                pass
