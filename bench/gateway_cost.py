"""CPU that the gateway with its policies takes per request, against a bare aiohttp call.

Both ask the same null server in another process; the CPU time is that of this process alone.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import count
from statistics import median
from typing import BinaryIO

import aiohttp

from bench.bodies import whole_body
from bench.interleave import Measure, median_ratio, take_turns
from bench.null_server import TOKENS, null_server
from bench.report import Figure, Section
from harness.errors import EnvironmentFault
from harness.judging.history import History
from harness.load.prompts import completion_body
from harness.quiet_collector import quiet_collector
from harness.serving.gateway import Gateway
from harness.serving.http_link import HttpLink
from harness.serving.openai_api import COMPLETIONS
from harness.serving.recorder import Recorder
from policies.call import Call
from policies.presets import PRESETS

PRESET = "timeout_breaker_shed"
WORKERS = 4  # the built-in pool; all links lead to the one null server
AT_ONCE = 8
REQUESTS = 200  # a round, about a tenth of a second
ROUNDS = 30
AIM_RATIO = 2.0

_JSON = {"Content-Type": "application/json"}
_STREAMED = completion_body("a list of all names", TOKENS, seed=1)
_WHOLE = whole_body("a list of all names", TOKENS, seed=1)

Ask = Callable[[], Awaitable[None]]


def measure() -> Section:
    with open(os.devnull, "wb") as sink:
        return asyncio.run(_measure(sink))


async def _measure(sink: BinaryIO) -> Section:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(null_server())
        session = await stack.enter_async_context(aiohttp.ClientSession())
        links = {f"worker-{n}": HttpLink(server.url, f"worker-{n}") for n in range(WORKERS)}
        for link in links.values():
            stack.push_async_callback(link.close)
        gateway = Gateway(PRESETS[PRESET].build(WORKERS), links, Recorder(History(sink=sink)))
        asks: dict[str, Ask] = {
            "bare": _bare_whole(session, server.url),
            "gateway": _through(gateway, _WHOLE, stream=False),
            "bare stream": _bare_stream(session, server.url),
            "gateway stream": _through(gateway, _STREAMED, stream=True),
        }
        with quiet_collector():
            cpu_s = await take_turns({name: _cpu_s_a_request(ask) for name, ask in asks.items()}, ROUNDS)
    return _section(cpu_s)


def _section(cpu_s: dict[str, list[float]]) -> Section:
    def pair(kind: str, suffix: str) -> tuple[Figure, ...]:
        bare, through = cpu_s[f"bare{suffix}"], cpu_s[f"gateway{suffix}"]
        return (
            Figure(name=f"{kind}: bare call", value=median(bare) * 1e6, unit="us CPU"),
            Figure(name=f"{kind}: through the gateway", value=median(through) * 1e6, unit="us CPU"),
            Figure(name=f"{kind}: ratio", value=median_ratio(through, bare), at_most=AIM_RATIO),
        )

    return Section(
        title="gateway_cost: CPU of one request through gateway and policies, against a bare aiohttp call",
        how=f"preset {PRESET}, {WORKERS} links, history written; {AT_ONCE} requests at once, unpaced;"
        f" median of {ROUNDS} rounds that take turns",
        figures=(*pair("whole answer", ""), *pair(f"stream of {TOKENS} tokens", " stream")),
    )


def _cpu_s_a_request(ask: Ask) -> Measure:
    async def several() -> None:
        for _ in range(REQUESTS // AT_ONCE):
            await ask()

    async def one_round() -> float:
        began_s = time.process_time()
        await asyncio.gather(*(several() for _ in range(AT_ONCE)))
        return (time.process_time() - began_s) / REQUESTS

    return one_round


def _bare_whole(session: aiohttp.ClientSession, url: str) -> Ask:
    async def ask() -> None:
        async with session.post(url + COMPLETIONS, data=_WHOLE, headers=_JSON) as response:
            await response.read()

    return ask


def _bare_stream(session: aiohttp.ClientSession, url: str) -> Ask:
    async def ask() -> None:
        async with session.post(url + COMPLETIONS, data=_STREAMED, headers=_JSON) as response:
            async for _line in response.content:
                pass

    return ask


def _through(gateway: Gateway, payload: bytes, *, stream: bool) -> Ask:
    numbers = count()

    async def ask() -> None:
        call = Call(
            id=f"chat-{next(numbers)}", route=COMPLETIONS, payload=payload, stream=stream, max_tokens=TOKENS
        )
        outcome = await gateway.handle(call)
        if not outcome.answered:
            raise EnvironmentFault(f"a request to the null server failed: {outcome.cause}")

    return ask
