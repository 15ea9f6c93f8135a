"""One virtual run of inference requests alone, weighed: CPU of this thread, and its history."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.clock import run_virtual
from harness.config import find_preset
from harness.deployment import Deploy, Deployment
from harness.judging.history import Ended
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Caller, Phases, Scenario, Tier, Topology
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import TINY_CPU
from harness.serving.memory_link import MemoryLink
from harness.serving.recorder import Recorder
from harness.virtual_deployment import deploy_virtual
from harness.virtual_run import digest
from policies.pipeline import Pipeline

PRESET = "timeout_breaker_shed"
PROMPT_WORDS = 4  # 16 tokens
ANSWER_TOKENS = 16
RPS_EACH = 5.0  # a worker, as in the shipped scenarios
SLOTS_EACH = 8  # of each service, for each worker
WITHOUT_HOPS = replace(TINY_CPU, hop_s=0.0, link_s=0.0)
WITH_HOPS = TINY_CPU


@dataclass(frozen=True, slots=True)
class Weighed:
    """One run. `cpu_s` is of the whole of it, standing up and taking down included; judging is not in it."""

    requests: int
    cpu_s: float
    bytes: int  # of the history
    digest: str


def weigh(
    folder: Path,
    requests: int,
    *,
    workers: int = 4,
    costs: Costs = WITHOUT_HOPS,
    single_steps: bool = False,
    preset: str = PRESET,
) -> Weighed:
    """Send about so many requests to `workers` workers; the history is written to a file in `folder`.

    `single_steps`: one timer for each step of a worker. `preset`: or the text of a pipeline.
    """
    path = folder / "history.jsonl"
    deploy: Deploy = partial(_deploy_single_steps if single_steps else deploy_virtual, costs=costs)
    began_s = time.thread_time()
    history = run_virtual(
        run(_scenario(workers, requests), find_preset(preset), 1, deploy, path, NoProgress())
    )
    took_s = time.thread_time() - began_s
    endings = history.of(Ended)
    failed = [ended.cause for ended in endings if ended.kind != "ok"]
    assert not failed, f"{len(failed)} of {len(endings)} requests failed, the first one: {failed[0]}"
    return Weighed(len(endings), took_s, path.stat().st_size, digest(path))


def _scenario(workers: int, requests: int) -> Scenario:
    slots = SLOTS_EACH * workers
    return Scenario(
        name="bench",
        meaning="nothing is wrong, and nobody asks but for inference",
        fault=None,
        expects={},
        topology=Topology(
            services=(Tier(name="front", slots=slots), Tier(name="api", slots=slots)), workers=workers
        ),
        callers=(
            Caller(
                name="chat",
                enters="front",
                rate_rps=RPS_EACH * workers,
                max_tokens=ANSWER_TOKENS,
                prompt_words=PROMPT_WORDS,
            ),
        ),
        phases=Phases(warm_up_s=0.0, baseline_s=requests / (RPS_EACH * workers), fault_s=0.0, recovery_s=0.0),
    )


@asynccontextmanager
async def _deploy_single_steps(
    topology: Topology, pipeline: Pipeline, recorder: Recorder, seed: int, *, costs: Costs
) -> AsyncIterator[Deployment]:
    async with deploy_virtual(topology, pipeline, recorder, seed, costs=costs) as deployment:
        for link in deployment.links.values():
            assert isinstance(link, MemoryLink)
            link.worker.take_single_steps()
        yield deployment
