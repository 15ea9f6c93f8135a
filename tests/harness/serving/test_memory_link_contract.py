"""The contract of links, on the in-memory one in virtual time. tests/real has the same over HTTP."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from harness.serving.memory_link import MemoryLink
from harness.serving.memory_site import MemoryAdmin, MemorySite
from tests.harness.serving.link_contract import MAX_QUEUE, SEATS, LinkContract
from tests.harness.serving.memory_stand import STEP_S, memory_stand


@dataclass(frozen=True, slots=True)
class InMemory:
    link: MemoryLink
    site: MemorySite
    admin: MemoryAdmin
    slack_s: float = STEP_S  # a request may come in the middle of a step of others


class TestMemoryLink(LinkContract):
    @pytest.fixture
    async def stand(self) -> AsyncIterator[InMemory]:
        async with memory_stand(seats=SEATS, max_queue=MAX_QUEUE) as stand:
            yield InMemory(stand.link, stand.site, stand.admin)
