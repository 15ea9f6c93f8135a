"""The contract of links over HTTP, through the embedded Toxiproxy, to a worker server on a real loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest

from faults.toxiproxy.client import ToxiproxyClient
from harness.serving.cost_model import CostModel
from harness.serving.engine import Sequence
from harness.serving.http_link import HttpLink
from harness.serving.http_server import RunningServer, listen
from harness.serving.real_site import RealSite
from harness.serving.worker import Worker
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import WorkerServer
from tests.faults.toxiproxy.servers import running
from tests.harness.serving.link_contract import MAX_QUEUE, SEATS, LinkContract
from tests.harness.serving.memory_stand import COSTS

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
