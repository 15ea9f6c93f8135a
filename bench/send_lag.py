"""The highest open-loop rate at which requests still go out on time.

Send lag is actual minus intended send time. Past some rate the one process that sends and receives falls
behind its schedule, and what it then measures is itself; a run at such a rate is inconclusive.
"""

import asyncio
import random
import time
from contextlib import aclosing
from statistics import quantiles

import psutil

from bench.climb import FACTOR, FIRST_RPS, MAX_LAG_S, Step, climb
from bench.null_server import TOKENS, NullServer, null_server
from bench.report import Figure, Section
from harness.errors import EnvironmentFault
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.load.prompts import completion_body
from harness.quiet_collector import quiet_collector
from harness.serving.http_link import HttpLink
from harness.serving.openai_api import COMPLETIONS
from policies.call import Call

STEP_S = 3.0

_PAYLOAD = completion_body("a list of all names", TOKENS, seed=1)


def measure() -> Section:
    return asyncio.run(_measure())


async def _measure() -> Section:
    async with null_server() as server:
        link = HttpLink(server.url, "null server")
        try:
            await _try_rate(link, server, FIRST_RPS)  # warm-up
            idle_lag_s = await _idle_lag_s()
            async with aclosing(climb(lambda rate_rps: _try_rate(link, server, rate_rps))) as steps:
                tried = [step async for step in steps]
        finally:
            await link.close()
    return _section(tried, idle_lag_s)


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
    return Step(rate_rps, _p99(lags_s), client_s / wall_s, server_s / wall_s)


async def _idle_lag_s() -> float:
    """How late a timer is at p99 while nothing is asked of this process: what the machine alone adds."""
    loop = asyncio.get_running_loop()
    lags_s: list[float] = []
    for _ in range(int(STEP_S / MAX_LAG_S)):
        due_s = loop.time() + MAX_LAG_S
        await asyncio.sleep(MAX_LAG_S)
        lags_s.append(loop.time() - due_s)
    return _p99(lags_s)


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100)[98]


def _arrivals(rate_rps: float) -> list[float]:
    """As runs draw them: Poisson, the same ones for the same rate."""
    return poisson(rate_rps, 0.0, STEP_S, random.Random(f"send_lag {rate_rps}"))


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _section(steps: list[Step], idle_lag_s: float) -> Section:
    held = [step for step in steps if step.held]
    if not held:
        raise EnvironmentFault(
            f"send lag p99 is over {MAX_LAG_S * 1e3:g} ms at {FIRST_RPS:g} requests/s already, that of an"
            f" idle timer is {idle_lag_s * 1e3:.1f} ms. Run it again on a machine that does less besides"
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
            Figure(name="p99 of a timer while idle", value=idle_lag_s * 1e3, unit="ms"),
            Figure(name="next rate", value=broken.rate_rps, unit="requests/s"),
            Figure(name="send lag p99 there", value=broken.lag_p99_s * 1e3, unit="ms"),
        ),
    )
