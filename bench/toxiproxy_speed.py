"""A small round trip and a bulk stream: direct, through the real Toxiproxy, through ours with either loop."""

import asyncio
import socket
import time
from contextlib import AsyncExitStack, closing
from statistics import median

from bench.interleave import Measure, median_ratio, take_turns
from bench.report import Figure, Section
from bench.toxiproxy_servers import OURS, OURS_UVLOOP, REAL, server
from bench.toxiproxy_worker import QUESTION_BYTES, bulk_worker, question

DIRECT = "direct"
TRIPS = 300
BULK_BYTES = 64 * 10**6
ROUNDS = 10
AIM_RATIO = 2.5  # of round trips, ours to the real server's
AIM_MB_PER_S = 300.0

_QUIET_S = 30.0  # for any answer


def measure() -> Section:
    return asyncio.run(_measure())


async def _measure() -> Section:
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(bulk_worker())
        addresses = {DIRECT: worker}
        for kind in (REAL, OURS, OURS_UVLOOP):
            client = await stack.enter_async_context(server(kind))
            addresses[kind] = (await client.create("speed", "127.0.0.1:0", worker)).listen
        callers = {
            kind: stack.enter_context(closing(connection(listen))) for kind, listen in addresses.items()
        }
        trips_s = await take_turns({kind: _trip_s(each) for kind, each in callers.items()}, ROUNDS)
        mb_per_s = await take_turns({kind: _mb_per_s(each) for kind, each in callers.items()}, ROUNDS)
    return _section(trips_s, mb_per_s)


def connection(listen: str) -> socket.socket:
    """To host:port, blocking, for the least cost on the measuring side."""
    host, port = listen.rsplit(":", 1)
    caller = socket.create_connection((host, int(port)), _QUIET_S)
    caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return caller


def pour_s(caller: socket.socket, wanted_bytes: int) -> float:
    """Seconds from the question to the last of so many bytes."""
    start_s = time.perf_counter()
    caller.sendall(question(wanted_bytes))
    room = memoryview(bytearray(2**20))
    while wanted_bytes:
        got = caller.recv_into(room[: min(wanted_bytes, len(room))])
        if not got:
            raise EOFError("the connection ended while it was measured")
        wanted_bytes -= got
    return time.perf_counter() - start_s


def _trip_s(caller: socket.socket) -> Measure:
    async def measure() -> float:
        return median(pour_s(caller, QUESTION_BYTES) for _ in range(TRIPS))

    return measure


def _mb_per_s(caller: socket.socket) -> Measure:
    async def measure() -> float:
        return BULK_BYTES / 1e6 / pour_s(caller, BULK_BYTES)

    return measure


def _section(trips_s: dict[str, list[float]], mb_per_s: dict[str, list[float]]) -> Section:
    figures = [
        Figure(name=f"round trip: {kind}", value=median(each) * 1e6, unit="us")
        for kind, each in trips_s.items()
    ]
    figures += [
        Figure(
            name=f"round trip: {kind} to the real server",
            value=median_ratio(trips_s[kind], trips_s[REAL]),
            at_most=AIM_RATIO if kind == OURS else None,
        )
        for kind in (OURS, OURS_UVLOOP)
    ]
    figures += [
        Figure(
            name=f"stream: {kind}",
            value=median(each),
            unit="MB/s",
            at_least=AIM_MB_PER_S if kind == OURS else None,
        )
        for kind, each in mb_per_s.items()
    ]
    return Section(
        title="toxiproxy_speed: what a proxy without toxics costs",
        how=f"{QUESTION_BYTES} bytes there and back on a kept connection, median of {TRIPS};"
        f" {BULK_BYTES // 10**6} MB in one stream; median of {ROUNDS} rounds that take turns",
        figures=tuple(figures),
    )
