"""Callers that never rest, one-slot nodes, and a longer way to the first of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.history import NoHistory
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from harness.serving.worker import Worker
from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Outcome
from policies.pipeline import Pipeline
from tests.theory.fleet import exponential_nodes
from tests.theory.queueing_parts import Census, closed_loop, running

WARM_UP_RATIO = 0.2  # of the time counted, before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`mean_s`: of the exponential service; `delay_s`: on the way to the first node, beside its capacity."""

    nodes: int
    callers: int
    mean_s: float
    delay_s: float


class DelayedLink:
    """To a worker, `delay_s` later. The answer is one token."""

    def __init__(self, worker: Worker, delay_s: float) -> None:
        self._worker, self._delay_s = worker, delay_s

    async def send(self, attempt: Attempt) -> Outcome:
        await asyncio.sleep(self._delay_s)
        outcome = await self._worker.handle(attempt.call)
        if outcome.answered:
            attempt.deliver(Chunk(b"", tokens=1), asyncio.get_running_loop().time())
        return outcome


async def answers_rps(setting: Setting, pipeline: Pipeline, lasts_s: float, seed: str) -> float:
    """Answers per second. Who got none rests for a service time, so that refusals take time too."""
    workers = exponential_nodes([setting.mean_s] * setting.nodes, seed)
    delays_s = [setting.delay_s] + [0.0] * (setting.nodes - 1)
    links = {w.name: DelayedLink(w, delay_s) for w, delay_s in zip(workers, delays_s, strict=True)}
    gateway = Gateway(pipeline, links, Recorder(NoHistory()))
    missed = 0

    async def ask(call: Call) -> Outcome:
        nonlocal missed
        call.stream = True
        if not (await gateway.handle(call)).answered:
            missed += loop.time() >= WARM_UP_RATIO * lasts_s
            await asyncio.sleep(setting.mean_s)
        return OK

    loop, census = asyncio.get_running_loop(), Census()
    async with running(*workers):
        rps = await closed_loop(setting.callers, ask, census, WARM_UP_RATIO * lasts_s, lasts_s)
    return rps - missed / lasts_s


def degradation(faulted_rps: float, healthy_rps: float) -> float:
    """Xinda's D."""
    return 1 - faulted_rps / healthy_rps


def mean_value_analysis(setting: Setting) -> float:
    """Answers per second without a policy, each node visited with the same chance: exact for any delay."""
    length: Sequence[float] = [0.0] * setting.nodes
    rps = 0.0
    for present in range(1, setting.callers + 1):
        stays_s = [setting.mean_s * (1 + queue) / setting.nodes for queue in length]
        rps = present / (sum(stays_s) + setting.delay_s / setting.nodes)
        length = [rps * stay_s for stay_s in stays_s]
    return rps
