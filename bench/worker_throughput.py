"""Tokens a second of a whole worker over HTTP, against the bare engine loop at the same batch size.

Two processes of the same kind take turns: while one is measured, the other waits. The difference is what
the worker adds to each token: the event loop, the batcher, text, JSON and a socket write.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from statistics import median

import aiohttp
import msgspec

from bench.bodies import whole_body
from bench.engine_loop import Demand, engine_loop
from bench.interleave import median_ratio, take_turns
from bench.report import Figure, Section
from harness.load.callers import cancel_all
from harness.load.prompts import completion_body
from harness.quiet_collector import quiet_collector
from harness.serving.openai_api import COMPLETIONS
from harness.serving.pool import Pool
from harness.serving.worker_process import WorkerConfig
from harness.serving.worker_server import STATE
from harness.serving.worker_state import WorkerState

BATCH = 16
ROUNDS = 20
AIM_RATIO = 0.8


def measure(model: str = "tiny") -> Section:
    return asyncio.run(_measure(_demand(model)))


def _demand(model: str) -> Demand:
    """Answers long enough that the moment between one and the next leaves few seats empty."""
    return Demand(
        model=model,
        batch=BATCH,
        prompt="The quick brown fox jumps over.",
        max_tokens=128,
        settle_s=0.3,
        measure_s=0.6,
    )


async def _measure(demand: Demand) -> Section:
    config = WorkerConfig(
        name="worker-0", model=demand.model, device="cpu", max_num_seqs=demand.batch, step_floor_s=0.0
    )
    async with AsyncExitStack() as stack:
        pool = await stack.enter_async_context(Pool([config]))
        bare = await stack.enter_async_context(engine_loop(demand))
        url = pool.workers["worker-0"].url
        driven = {
            "streams": _Driven(url, demand, completion_body),
            "whole answers": _Driven(url, demand, whole_body),
        }
        measures = {name: worker.tokens_per_s for name, worker in driven.items()}
        with quiet_collector():
            rates = await take_turns({"bare": bare.tokens_per_s, **measures}, ROUNDS)
    return _section(demand, rates, driven)


def _section(demand: Demand, rates: dict[str, list[float]], driven: dict[str, "_Driven"]) -> Section:
    bare = rates["bare"]
    return Section(
        title=f"worker_throughput: a worker over HTTP at batch {demand.batch}, against the bare engine loop",
        how=f"model {demand.model}, cpu, unpadded; {demand.batch} answers of {demand.max_tokens} tokens"
        f" always under way; median of {ROUNDS} rounds that take turns",
        figures=(
            Figure(name="bare engine loop", value=median(bare), unit="tokens/s"),
            *(figure for name, worker in driven.items() for figure in _of(name, worker, rates[name], bare)),
        ),
    )


def _of(name: str, worker: "_Driven", rates: list[float], bare: list[float]) -> tuple[Figure, ...]:
    added_s = median(1 / with_worker - 1 / alone for with_worker, alone in zip(rates, bare, strict=True))
    return (
        Figure(name=f"{name}: worker over HTTP", value=median(rates), unit="tokens/s"),
        Figure(name=f"{name}: ratio", value=median_ratio(rates, bare), at_least=AIM_RATIO),
        Figure(name=f"{name}: added to a token", value=added_s * 1e6, unit="us"),
        Figure(name=f"{name}: mean batch", value=median(worker.batches), unit="sequences"),
        Figure(name=f"{name}: CPU of the client", value=median(worker.client_cpu_ratios), unit="cores"),
    )


@dataclass(slots=True)
class _Driven:
    """A worker with as many requests in flight as it has seats, while it is measured."""

    url: str
    demand: Demand
    body: Callable[[str, int, int], bytes]  # of prompt, max_tokens and seed
    batches: list[float] = field(default_factory=list)
    client_cpu_ratios: list[float] = field(default_factory=list)

    async def tokens_per_s(self) -> float:
        """By the worker's own count of tokens."""
        async with aiohttp.ClientSession(raise_for_status=True) as session, self._driven(session):
            await asyncio.sleep(self.demand.settle_s)
            before, began_s, cpu_s = await self._state(session), time.perf_counter(), time.process_time()
            await asyncio.sleep(self.demand.measure_s)
            after, took_s = await self._state(session), time.perf_counter() - began_s
            self.client_cpu_ratios.append((time.process_time() - cpu_s) / took_s)
        tokens = after.tokens - before.tokens
        self.batches.append(tokens / (after.steps - before.steps))
        return tokens / took_s

    @asynccontextmanager
    async def _driven(self, session: aiohttp.ClientSession) -> AsyncIterator[None]:
        callers = [asyncio.create_task(self._call(session, number)) for number in range(self.demand.batch)]
        try:
            yield
        finally:
            await cancel_all(callers)
        for caller in callers:
            if not caller.cancelled():
                caller.result()  # a request failed: say so instead of a figure

    async def _call(self, session: aiohttp.ClientSession, number: int) -> None:
        """One request after another; what comes is received and not looked at."""
        max_tokens = self.demand.first_max_tokens(number)
        while True:
            body = self.body(self.demand.prompt, max_tokens, 1)
            async with session.post(self.url + COMPLETIONS, data=body) as response:
                async for _ in response.content.iter_any():
                    pass
            max_tokens = self.demand.max_tokens

    async def _state(self, session: aiohttp.ClientSession) -> WorkerState:
        async with session.get(self.url + STATE) as response:
            return msgspec.json.decode(await response.read(), type=WorkerState)
