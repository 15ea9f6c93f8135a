"""Clients that throttle themselves: how much more than it can do a backend is asked, once most is refused.

The backend accepts so many calls in each second and refuses the rest at once. A client asks K times what is
accepted of it, so the backend is asked x = K * E[min(1, Poisson(x * cap) / cap)] times its capacity: nearly
K, and less where K is so near 1 that a second by chance brings fewer calls than could be taken.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from scipy.optimize import brentq
from scipy.stats import poisson as counts

from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.load.callers import Planned, send_open_loop
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.call import Attempt
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.throttles.throttle_sre import ThrottleSre
from tests.theory.queueing_parts import new_call
from tests.theory.row import Row, Target

TARGET = Target("T16", "SRE book, adaptive throttling")

CLIENTS = 20
CAP_RPS = 100
WARM_UP_S = 140.0  # the window of 120 s, and a bucket more
REFUSED = Outcome(kind=Kind.OVERLOAD, phase="admission", cause="over capacity", by="backend", status=429)

# K: by offered load, the backend's load over its capacity. A range where the source has one.
QUOTED = {2.0: {4.0: 1.99, 10.0: 2.00}, 1.5: {4.0: 1.50, 10.0: 1.50}, 1.1: {4.0: 1.075, 10.0: 1.075}}
QUOTED_ACCEPTED = 0.98  # of the capacity, with K = 1.1
LOSES_BELOW = 1.2  # K, of which the backend is not always busy
CLOSE = 0.03  # ratio


@dataclass(slots=True)
class Backend:
    """A link to it. Counts by the second."""

    asked: Counter[int] = field(default_factory=Counter)
    accepted: Counter[int] = field(default_factory=Counter)

    async def send(self, attempt: Attempt) -> Outcome:
        second = int(attempt.started_s)
        self.asked[second] += 1
        if self.asked[second] > CAP_RPS:
            return REFUSED
        self.accepted[second] += 1
        return OK


@dataclass(frozen=True, slots=True)
class Load:
    """Both as shares of the capacity."""

    asked: float
    accepted: float


def fast() -> list[Row]:
    """In 20 s the backend is asked 4,000 times, a number that deviates by 1.6 %."""
    return _rows(2.0, 4.0, lasts_s=20.0)


def full() -> list[Row]:
    return [row for k, loads in QUOTED.items() for offered in loads for row in _rows(k, offered, 100.0)]


def fixed_point(k: float) -> Load:
    """Where what is asked is `k` times what is accepted of it, in seconds of Poisson arrivals."""

    def accepted(asked: float) -> float:
        calls = counts(asked * CAP_RPS)
        return float(1 - sum(calls.cdf(range(CAP_RPS))) / CAP_RPS)  # E[min(N, cap)] / cap

    asked = brentq(lambda asked: asked - k * accepted(asked), 0.5, 3 * k)
    return Load(asked, accepted(asked))


def _rows(k: float, offered: float, lasts_s: float) -> list[Row]:
    load, law, quoted = measure(k, offered, lasts_s), fixed_point(k), QUOTED[k][offered]
    name = f"K {k:g}, {offered:g} times the capacity offered"
    rows = [
        TARGET.relative(f"{name}: asked of the backend", quoted, load.asked, CLOSE),
        TARGET.relative(f"{name}: asked, fixed point", law.asked, load.asked, CLOSE),
        TARGET.relative(f"{name}: accepted, fixed point", law.accepted, load.accepted, CLOSE),
    ]
    if k < LOSES_BELOW:
        rows.append(TARGET.relative(f"{name}: accepted", QUOTED_ACCEPTED, load.accepted, CLOSE))
    return rows


def measure(k: float, offered: float, lasts_s: float) -> Load:
    return run_virtual(_measure(k, offered, lasts_s))


async def _measure(k: float, offered: float, lasts_s: float) -> Load:
    backend = Backend()
    gateways = [_client(k, backend, seed) for seed in range(CLIENTS)]
    rng = random.Random(f"T16 {offered}")
    times_s = poisson(offered * CAP_RPS, 0.0, WARM_UP_S + lasts_s, rng)

    async def send(planned: Planned) -> None:
        await gateways[rng.randrange(CLIENTS)].handle(new_call(planned.number))

    left = await send_open_loop((Planned(at_s, "", n) for n, at_s in enumerate(times_s)), send, 0.0)
    if left:
        await asyncio.wait(left)
    seconds = range(int(WARM_UP_S), int(WARM_UP_S + lasts_s))
    return Load(*(_mean(counted, seconds) for counted in (backend.asked, backend.accepted)))


def _client(k: float, backend: Backend, seed: int) -> Gateway:
    return Gateway(Pipeline(layers=(ThrottleSre(k=k),)), {"backend": backend}, Recorder(NoHistory()), seed)


def _mean(counted: Counter[int], seconds: range) -> float:
    return sum(counted[second] for second in seconds) / len(seconds) / CAP_RPS
