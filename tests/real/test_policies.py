"""The contract of policies over HTTP, on a real loop."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from harness.serving.http_link import HttpLink
from harness.serving.real_site import RealSite
from harness.serving.worker_admin import WorkerAdmin
from tests.policies.policy_contract import SEATS, PolicyContract
from tests.real.test_link_parity import Process, served_worker

pytestmark = pytest.mark.real


@dataclass(frozen=True, slots=True)
class OverHttp:
    links: dict[str, HttpLink]
    sites: dict[str, RealSite]
    admins: dict[str, WorkerAdmin]
    slack_s: float = 1.5


class TestOverHttp(PolicyContract):
    @pytest.fixture
    async def stand(self) -> AsyncIterator[OverHttp]:
        async with AsyncExitStack() as stack:
            links, sites, admins = {}, {}, {}
            for number in range(3):
                name = f"worker-{number}"
                server, steps = await stack.enter_async_context(served_worker(name, SEATS, 64))
                admins[name] = await stack.enter_async_context(WorkerAdmin(name, server.url))
                links[name] = HttpLink(server.url, name)
                stack.push_async_callback(links[name].close)
                sites[name] = RealSite(name, admins[name], Process(server, steps), None, None)
            yield OverHttp(links, sites, admins)
