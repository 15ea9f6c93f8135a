"""The highest open-loop rate at which requests still go out on time.

Send lag is actual minus intended send time. Past some rate the one process that sends and receives falls
behind its schedule, and what it then measures is itself; a run at such a rate is inconclusive.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from statistics import quantiles

import psutil

from bench.null_server import TOKENS, NullServer, null_server
from bench.quiet import quiet_collector
from bench.report import Figure, Section
from harness.errors import EnvironmentFault
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.load.prompts import completion_body
from harness.serving.http_link import HttpLink
from harness.serving.openai_api import COMPLETIONS
from policies.policy import Call

FIRST_RPS = 150.0  # 300 samples a step, the fewest that a p99 is taken of
FACTOR = 1.25
STEP_S = 2.0
TRIES = 3  # a rate counts as held if one try holds it: what disturbs the machine can only make it later
MAX_LAG_S = 0.005

_PAYLOAD = completion_body("a list of all names", TOKENS, seed=1)


@dataclass(frozen=True, slots=True)
class Step:
    """One rate, tried once. CPU shares are of one core each."""

    rate_rps: float
    lag_p99_s: float
    client_cpu_ratio: float
    server_cpu_ratio: float

    @property
    def held(self) -> bool:
        return self.lag_p99_s < MAX_LAG_S


def measure() -> Section:
    return asyncio.run(_measure())


async def _measure() -> Section:
    async with null_server() as server:
        link = HttpLink(server.url, "null server")
        try:
            await _try_rate(link, server, FIRST_RPS)  # warm-up
            async with aclosing(climb(lambda rate_rps: _try_rate(link, server, rate_rps))) as steps:
                tried = [step async for step in steps]
        finally:
            await link.close()
    return _section(tried)


async def climb(try_rate: Callable[[float], Awaitable[Step]]) -> AsyncGenerator[Step, None]:
    """The best try of each rate from `FIRST_RPS` upwards; the last one is the first that was not held."""
    rate_rps = FIRST_RPS
    while True:
        best = await try_rate(rate_rps)
        for _ in range(TRIES - 1):
            if not best.held:
                best = min(best, await try_rate(rate_rps), key=lambda step: step.lag_p99_s)
        yield best
        if not best.held:
            return
        rate_rps *= FACTOR


async def _try_rate(link: HttpLink, server: NullServer, rate_rps: float) -> Step:
    """Send at `rate_rps` for `STEP_S` and see every answer to its end."""
    plan = [Planned(at_s, "chat", n) for n, at_s in enumerate(_arrivals(rate_rps))]
    loop = asyncio.get_running_loop()
    lags_s: list[float] = []
    failures: list[str] = []

    async def send(planned: Planned) -> None:
        lags_s.append(loop.time() - zero_s - planned.intended_s)
        call = Call(id=f"chat-{planned.number}", caller="chat", route=COMPLETIONS, payload=_PAYLOAD)
        outcome = await link.handle(call)
        if not outcome.answered:
            failures.append(outcome.cause)

    other = psutil.Process(server.pid)
    with quiet_collector():
        server_began_s, client_began_s, zero_s = _cpu_s(other), time.process_time(), loop.time()
        await asyncio.gather(*await send_open_loop(plan, send, zero_s))
        wall_s = loop.time() - zero_s
    if failures:
        raise EnvironmentFault(f"{len(failures)} requests to the null server failed: {failures[0]}")
    client_s, server_s = time.process_time() - client_began_s, _cpu_s(other) - server_began_s
    return Step(rate_rps, quantiles(lags_s, n=100)[98], client_s / wall_s, server_s / wall_s)


def _arrivals(rate_rps: float) -> list[float]:
    """As runs draw them: Poisson, the same ones for the same rate."""
    return poisson(rate_rps, 0.0, STEP_S, random.Random(f"send_lag {rate_rps}"))


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _section(steps: list[Step]) -> Section:
    held = [step for step in steps if step.held]
    if not held:
        raise EnvironmentFault(
            f"send lag p99 is over {MAX_LAG_S * 1e3:g} ms at {FIRST_RPS:g} requests/s already."
            " Run it again on a machine that does less besides"
        )
    best, broken = held[-1], steps[-1]
    return Section(
        title=f"send_lag: highest open-loop rate with a send lag under {MAX_LAG_S * 1e3:g} ms at p99",
        how=f"Poisson arrivals, streams of {TOKENS} tokens from a null server, {STEP_S:g} s a step,"
        f" each step {FACTOR:g} times the one before",
        figures=(
            Figure(name="highest rate", value=best.rate_rps, unit="requests/s"),
            Figure(name="send lag p99 there", value=best.lag_p99_s * 1e3, unit="ms", at_most=MAX_LAG_S * 1e3),
            Figure(name="CPU of the callers' process there", value=best.client_cpu_ratio, unit="cores"),
            Figure(name="CPU of the null server there", value=best.server_cpu_ratio, unit="cores"),
            Figure(name="next rate", value=broken.rate_rps, unit="requests/s"),
            Figure(name="send lag p99 there", value=broken.lag_p99_s * 1e3, unit="ms"),
        ),
    )
