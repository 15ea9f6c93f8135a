"""A request that needs several calls to an overloaded service: shed by chance, or whole requests of one user.

Our layer that sheds by priority, with one priority for all calls or one of 128 for each user, as in DAGOR.
The calls of a request are sent together, so that a lost one spares the service nothing.
"""

import asyncio
import random

from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.call import Attempt, Call
from policies.outcome import OK, Outcome
from policies.pipeline import Pipeline
from policies.throttles.priority_shed import PriorityShed
from tests.theory.queueing_parts import Census
from tests.theory.row import Row, Target

TARGET = Target("T18", "DAGOR's motivation, arithmetic")

USERS = 128
SERVICE_S = 0.2
CAPACITY_RPS = 100.0
TARGET_RATIO = 0.8  # of `max_concurrent`: what the layer steers to, and so the capacity
WARM_UP_S = 60.0
CASES = ((2.0, 2), (2.0, 4), (4.0, 2))  # times the capacity, calls of a request; the first two are quoted
CLOSE = 0.03  # three points


def fast() -> list[Row]:
    """1,000 requests: four standard deviations of either share."""
    return [
        _row(2.0, 4, 20.0, consistent=False, distance=CLOSE),
        _row(2.0, 4, 20.0, consistent=True, distance=0.063),
    ]


def full() -> list[Row]:
    return [
        _row(overload, calls, 160.0, consistent=consistent, distance=CLOSE)
        for overload, calls in CASES
        for consistent in (False, True)
    ]


def _row(overload: float, calls: int, lasts_s: float, *, consistent: bool, distance: float) -> Row:
    expected = 1 / overload if consistent else (1 / overload) ** calls
    got = run_virtual(_whole_ratio(overload, calls, lasts_s, consistent=consistent))
    how = "the same users all the time" if consistent else "each call by chance"
    what = f"{overload:g} times the capacity, {calls} calls a request, {how}: requests that succeed"
    return TARGET.absolute(what, expected, got, distance)


async def _whole_ratio(overload: float, calls: int, lasts_s: float, *, consistent: bool) -> float:
    """Of the requests sent after the warm-up, those of which every call was answered."""
    whole: list[bool] = []
    census, users = Census(), random.Random("T18 users")

    class Service:
        async def send(self, attempt: Attempt) -> Outcome:
            return await census.visit(_served())

    shed = PriorityShed(
        max_concurrent=round(CAPACITY_RPS * SERVICE_S / TARGET_RATIO), target_ratio=TARGET_RATIO
    )
    gateway = Gateway(Pipeline(layers=(shed,)), {"service": Service()}, Recorder(NoHistory()))

    async def send(planned: Planned) -> None:
        priority = users.randrange(USERS) if consistent else 1
        asked = [Call(id=f"{planned.number} {each}", priority=priority) for each in range(calls)]
        outcomes = await asyncio.gather(*map(gateway.handle, asked))
        if planned.intended_s >= WARM_UP_S:
            whole.append(all(outcome.answered for outcome in outcomes))

    requests_rps = overload * CAPACITY_RPS / calls
    times_s = poisson(requests_rps, 0.0, WARM_UP_S + lasts_s, random.Random(f"T18 {overload} {calls}"))
    left = await send_open_loop((Planned(at_s, "", n) for n, at_s in enumerate(times_s)), send, 0.0)
    if left:
        await asyncio.wait(left)
    census.assert_little()
    return sum(whole) / len(whole)


async def _served() -> Outcome:
    await asyncio.sleep(SERVICE_S)
    return OK
