"""What open connections cost."""

import tracemalloc

import pytest

from faults.toxiproxy.side import READ_BYTES
from tests.faults.toxiproxy.stand import echoing

pytestmark = pytest.mark.real

CONNECTIONS = 50


async def test_an_idle_connection_costs_far_less_than_what_one_read_may_bring() -> None:
    async with echoing("embedded") as through:
        await through.opened()  # what the first one alone brings along
        tracemalloc.start()
        try:
            for _ in range(CONNECTIONS):
                await through.opened()
            held_bytes, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert held_bytes / CONNECTIONS < READ_BYTES / 2
