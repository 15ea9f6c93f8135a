"""The contract of links over HTTP, through the embedded Toxiproxy, to a worker server on a real loop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest

from faults.site import Toxic
from faults.toxiproxy.client import ToxiproxyClient
from harness.asking import counted_call, text_call
from harness.scenario import Caller
from harness.serving.cost_model import CostModel
from harness.serving.engine import Sequence
from harness.serving.http_link import HttpLink
from harness.serving.http_server import RunningServer, listen
from harness.serving.probe import PIECES
from harness.serving.real_site import RealSite
from harness.serving.worker import Worker
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import WorkerServer
from policies.call import Attempt
from tests.faults.toxiproxy.servers import running
from tests.harness.serving.link_contract import MAX_QUEUE, SEATS, LinkContract, now
from tests.harness.serving.memory_stand import COSTS, attempt, memory_stand

pytestmark = pytest.mark.real


@dataclass(frozen=True, slots=True)
class OverHttp:
    link: HttpLink
    site: RealSite
    admin: WorkerAdmin
    slack_s: float = 1.5  # of a machine that does other things too


class Process:
    """As `Pool` to a site: what a SIGKILL does to the sockets of a worker, done to those of a server here."""

    def __init__(self, server: RunningServer, steps: "asyncio.Task[None]") -> None:
        self._server = server
        self._steps = steps

    async def kill(self, _name: str) -> None:
        self._steps.cancel()
        for site in list(self._server._runner.sites):
            await site.stop()
        for connection in self._server._runner.server.connections:
            connection.transport.abort()


@asynccontextmanager
async def served_worker(
    name: str = "worker-0", seats: int = SEATS, max_queue: int = MAX_QUEUE
) -> AsyncIterator[tuple[RunningServer, "asyncio.Task[None]"]]:
    engine = CostModel(COSTS, seats)

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        return engine.step(batch), engine.step_s(batch)

    meter = PrometheusMeter(engine.name)
    worker = Worker(name, engine, compute, max_queue=max_queue, meter=meter)
    steps = asyncio.create_task(worker.run())
    server = await listen(WorkerServer(worker, meter).application())
    yield server, steps
    await server.close()
    steps.cancel()
    await asyncio.wait([steps])


class TestHttpLink(LinkContract):
    @pytest.fixture
    async def stand(self) -> AsyncIterator[OverHttp]:
        async with AsyncExitStack() as stack:
            client = ToxiproxyClient(await stack.enter_async_context(running("embedded")))
            server, steps = await stack.enter_async_context(served_worker())
            proxy = await client.create("parity.worker-0", "127.0.0.1:0", f"127.0.0.1:{server.port}")
            admin = await stack.enter_async_context(WorkerAdmin("worker-0", server.url))
            link = HttpLink(f"http://{proxy.listen}", "worker-0")
            stack.push_async_callback(link.close)
            yield OverHttp(link, RealSite("worker-0", admin, Process(server, steps), client, proxy), admin)


WITHIN_RATIO = 0.03  # numbers in headers have as many digits as they have


@asynccontextmanager
async def proxied() -> AsyncIterator[tuple[HttpLink, Callable[[], Awaitable[tuple[int, int]]]]]:
    """A link through the embedded Toxiproxy, and what tells the bytes that it has carried."""
    async with AsyncExitStack() as stack:
        client = ToxiproxyClient(await stack.enter_async_context(running("embedded")))
        server, _ = await stack.enter_async_context(served_worker())
        proxy = await client.create("p", "127.0.0.1:0", f"127.0.0.1:{server.port}")
        link = HttpLink(f"http://{proxy.listen}", "worker-0")
        stack.push_async_callback(link.close)

        async def carried() -> tuple[int, int]:
            """There and back, by the connection that there is; it is closed afterwards."""
            (connection,) = await client.connections("p")
            await link.close()
            link._session = None
            while await client.connections("p"):
                await asyncio.sleep(0.01)
            return connection.to_worker_bytes, connection.to_caller_bytes

        yield link, carried


@pytest.mark.parametrize(("tokens", "stream"), [(1, True), (40, True), (40, False)])
async def test_a_request_in_memory_is_as_many_bytes_as_over_http(tokens: int, stream: bool) -> None:
    caller = Caller(name="interactive", enters="front", rate_rps=1, max_tokens=tokens)
    async with proxied() as (link, carried), memory_stand() as memory:
        memory.link.set_toxics([Toxic("noop", "to_caller", {})])
        for compose, way in ((text_call, link), (counted_call, memory.link)):
            call = compose(caller, "interactive-17", 1)
            call.stream = stream
            if not stream:
                call.payload = call.payload.replace(b'"stream": true', b'"stream": false')
            asked = Attempt(call=call, worker="worker-0", number=1, started_s=now())
            assert (await way.send(asked)).answered
        (connection,) = memory.link.connections
        http = await carried()
        assert connection.there.link.written_bytes == pytest.approx(http[0], rel=WITHIN_RATIO)
        assert connection.back.link.written_bytes == pytest.approx(http[1], rel=WITHIN_RATIO)


async def test_a_refusal_in_memory_is_as_many_bytes_as_over_http() -> None:
    async with proxied() as (link, carried), memory_stand() as memory:
        memory.link.set_toxics([Toxic("noop", "to_caller", {})])
        for way in (link, memory.link):
            assert (await way.send(attempt(tokens=5000))).status == 400
        (connection,) = memory.link.connections
        assert connection.back.link.written_bytes == pytest.approx((await carried())[1], rel=0.1)


async def test_a_probe_in_memory_is_as_many_bytes_as_over_http() -> None:
    async with proxied() as (link, _), memory_stand() as memory:
        http, in_memory = await link.probe(), await memory.link.probe()
        assert in_memory.received_bytes == pytest.approx(http.received_bytes, abs=4)
        assert len(http.arrivals) >= len(in_memory.arrivals) == len(PIECES)
