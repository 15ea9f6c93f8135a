"""Faults of a worker as its HTTP side shows them: metrics, load, health, errors, and what it refuses."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from faults.worker.frozen_metrics import FrozenMetrics
from faults.worker.instant_error import InstantError
from faults.worker.slow_health import SlowHealth
from harness.serving.cost_model import CostModel
from harness.serving.engine import Sequence
from harness.serving.http_link import HttpLink
from harness.serving.http_server import listen
from harness.serving.worker import Worker
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import FAULT, WorkerServer
from policies.outcome import Kind
from tests.harness.serving.memory_stand import COSTS, attempt

pytestmark = pytest.mark.real


@dataclass(frozen=True, slots=True)
class Stand:
    url: str
    link: HttpLink
    admin: WorkerAdmin
    client: aiohttp.ClientSession

    async def text(self, route: str) -> str:
        async with self.client.get(self.url + route) as response:
            return await response.text()


@pytest.fixture
async def stand() -> AsyncIterator[Stand]:
    engine, meter = CostModel(COSTS, 4), PrometheusMeter("test")

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        return engine.step(batch), engine.step_s(batch)

    worker = Worker("worker-0", engine, compute, meter=meter)
    steps = asyncio.create_task(worker.run())
    server = await listen(WorkerServer(worker, meter).application())
    link = HttpLink(server.url, "worker-0")
    async with WorkerAdmin("worker-0", server.url) as admin, aiohttp.ClientSession() as client:
        yield Stand(server.url, link, admin, client)
    await link.close()
    await server.close()
    steps.cancel()


async def test_metrics_and_load_stand_still_while_requests_are_served(stand: Stand) -> None:
    assert (await stand.link.send(attempt())).answered
    await stand.admin.inject(FrozenMetrics(), 60)
    said = await stand.text("/metrics"), await stand.text("/load")
    assert (await stand.link.send(attempt())).answered
    assert (await stand.text("/metrics"), await stand.text("/load")) == said
    assert await stand.admin.heal()
    assert "vllm:request_success_total" in said[0]
    assert await stand.text("/metrics") != said[0]


async def test_health_is_late_and_answers_are_not(stand: Stand) -> None:
    clock = asyncio.get_running_loop().time
    await stand.admin.inject(SlowHealth(delay_s=1), 60)
    asked_s = clock()
    health = asyncio.create_task(stand.admin.health())
    assert (await stand.link.send(attempt(tokens=2))).answered
    assert not health.done()
    assert await health
    assert clock() - asked_s >= 1


@pytest.mark.parametrize(("status", "kind"), [(500, Kind.ERROR), (429, Kind.OVERLOAD), (504, Kind.TIMEOUT)])
async def test_an_error_arrives_as_the_outcome_that_it_is_in_memory(
    stand: Stand, status: int, kind: Kind
) -> None:
    await stand.admin.inject(InstantError(status=status), 60)
    outcome = await stand.link.send(attempt())
    cause = f"worker-0 answered HTTP {status}"
    assert (outcome.kind, outcome.status, outcome.by, outcome.cause) == (kind, status, "worker-0", cause)
    state = await stand.admin.state()
    assert (state.details["failed"], state.details["arrived"], state.steps) == (1, 1, 0)


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ('{"kind": "instant_error", "lease_s": 3, "parameters": {"status": 200}}', "status must be 400"),
        ('{"kind": "leaked_slots", "lease_s": 3, "parameters": {"slots": 1.5}}', "slots must be a whole"),
        ('{"kind": "periodic_stall", "lease_s": 3, "parameters": {"stall_s": 9}}', "stall_s must be below"),
        ('{"kind": "freeze", "lease_s": 0}', "lease_s must be above 0"),
    ],
)
async def test_an_order_that_cannot_be_is_refused_in_one_line(stand: Stand, order: str, says: str) -> None:
    async with stand.client.post(stand.url + FAULT, data=order) as response:
        message = (await response.json())["error"]["message"]
    assert response.status == 400
    assert says in message
    assert "\n" not in message
    assert (await stand.admin.state()).fault == "none"
