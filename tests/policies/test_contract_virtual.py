"""The contract of policies in memory, on virtual time."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from harness.serving.memory_link import MemoryLink
from harness.serving.memory_site import MemoryAdmin, MemorySite
from tests.harness.serving.memory_stand import COSTS, cost_worker
from tests.policies.policy_contract import SEATS, PolicyContract


@dataclass(frozen=True, slots=True)
class InMemory:
    links: dict[str, MemoryLink]
    sites: dict[str, MemorySite]
    admins: dict[str, MemoryAdmin]
    slack_s: float = 0.0


class TestInMemory(PolicyContract):
    @pytest.fixture
    async def stand(self) -> AsyncIterator[InMemory]:
        links, sites, steps = {}, {}, []
        for number in range(3):
            worker = cost_worker(COSTS, SEATS, 64, strides=True)
            worker.name = name = f"worker-{number}"
            steps.append(asyncio.create_task(worker.run()))
            links[name] = MemoryLink(worker, 0.0, 0)
            sites[name] = MemorySite(links[name], steps[-1])
        yield InMemory(links, sites, {name: MemoryAdmin(site) for name, site in sites.items()})
        assert asyncio.all_tasks() <= {*steps, asyncio.current_task()}
        for task in steps:
            task.cancel()
        await asyncio.wait(steps)
