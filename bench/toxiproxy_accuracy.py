"""What latency and bandwidth toxics do, against what was asked of them: the real server and ours."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, closing
from statistics import median

from bench.report import Figure, Section
from bench.toxiproxy_servers import OURS, REAL, server
from bench.toxiproxy_speed import connection, pour_s
from bench.toxiproxy_worker import QUESTION_BYTES, bulk_worker
from faults.toxiproxy.client import ToxiproxyClient

LATENCIES_MS = (10, 100, 1000)
RATES_KB_PER_S = (100, 1000, 10_000)
STREAM_S = 1.0  # how long a stream should take at each rate
TRIES = 3


def measure() -> Section:
    return asyncio.run(_measure())


async def _measure() -> Section:
    figures: list[Figure] = []
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(bulk_worker())
        for kind in (REAL, OURS):
            client = await stack.enter_async_context(server(kind))
            for asked_ms in LATENCIES_MS:
                took_s = await _took_s(client, worker, "latency", {"latency": asked_ms}, QUESTION_BYTES)
                figures.append(Figure(name=f"{kind}: latency {asked_ms} ms", value=took_s * 1e3, unit="ms"))
            for rate in RATES_KB_PER_S:
                wanted = int(rate * 1000 * STREAM_S)
                took_s = await _took_s(client, worker, "bandwidth", {"rate": rate}, wanted)
                kb_per_s = wanted / 1000 / took_s
                figures.append(Figure(name=f"{kind}: bandwidth {rate} KB/s", value=kb_per_s, unit="KB/s"))
    return Section(
        title="toxiproxy_accuracy: toxics as asked for and as measured",
        how=f"one toxic on the way back; streams of {STREAM_S:g} s; median of {TRIES}, on a proxy each",
        figures=tuple(figures),
    )


async def _took_s(
    client: ToxiproxyClient, worker: str, kind: str, attributes: Mapping[str, int], wanted_bytes: int
) -> float:
    """Seconds for so many bytes through one toxic. A proxy each: removing toxics can hang the real server."""
    took_s = []
    for number in range(TRIES):
        name = f"{kind}-{'-'.join(map(str, attributes.values()))}-{number}"
        proxy = await client.create(name, "127.0.0.1:0", worker)
        await client.add_toxic(name, kind, kind, "to_caller", attributes)
        with closing(connection(proxy.listen)) as caller:
            took_s.append(pour_s(caller, wanted_bytes))
    return median(took_s)
