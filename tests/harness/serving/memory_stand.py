"""A worker with a cost model behind an in-memory link, on the loop of the test."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from faults.site import Toxic
from harness.serving.cost_model import CostModel, Costs
from harness.serving.engine import Sequence
from harness.serving.job import count_job
from harness.serving.memory_link import MemoryLink
from harness.serving.memory_site import MemoryAdmin, MemorySite
from harness.serving.openai_api import COMPLETIONS
from harness.serving.step_loops import StepLoops
from harness.serving.worker import Worker
from policies.call import Attempt, Call

STEP_S = 0.03
COSTS = Costs(name="test", fixed_s=STEP_S, sequence_s=0.0, prefill_token_s=0.0, kv_token_s=0.0)


@dataclass(frozen=True, slots=True)
class MemoryStand:
    """The parts, and the tasks that were there before a test did anything."""

    link: MemoryLink
    worker: Worker
    site: MemorySite
    admin: MemoryAdmin
    tasks: frozenset["asyncio.Task[object]"]
    loops: StepLoops

    def new_tasks(self) -> set["asyncio.Task[object]"]:
        return asyncio.all_tasks() - self.tasks - self.loops.tasks

    async def at_rest(self) -> bool:
        """Whether nothing of any request is left anywhere. Looks a step later, when slots are free again."""
        await asyncio.sleep(2 * STEP_S)
        self.link.close()
        await asyncio.sleep(0)  # for tasks that were ended
        worker = self.link.worker  # another one after a restart
        batcher = worker.batcher
        held = (self.link.busy(), worker._jobs, batcher.running, batcher.waiting, self.new_tasks())
        return not any(held)


@asynccontextmanager
async def memory_stand(
    *,
    costs: Costs = COSTS,
    seats: int = 4,
    max_queue: int = 8,
    link_s: float = 0.0,
    seed: int = 0,
    strides: bool = True,
    told: bool = True,
) -> AsyncIterator[MemoryStand]:
    """Stands while the block runs."""
    worker = cost_worker(costs, seats, max_queue, strides=strides and told, told=told)
    link = MemoryLink(worker, link_s, seed)
    loops = StepLoops()

    def again() -> tuple[Worker, asyncio.Task[None]]:
        another = cost_worker(costs, seats, max_queue, strides=strides and told, told=told)
        return another, loops.start(another)

    site = MemorySite(link, loops.start(worker), again)
    yield MemoryStand(link, worker, site, MemoryAdmin(site), frozenset(asyncio.all_tasks()), loops)
    link.close()
    await loops.close()


def cost_worker(costs: Costs, seats: int, max_queue: int, *, strides: bool, told: bool = True) -> Worker:
    engine = CostModel(costs, seats)

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        return engine.step(batch), engine.step_s(batch)

    foresee = engine.foresee if strides else None
    return Worker(
        "worker-0",
        engine,
        compute,
        max_queue=max_queue,
        late_s=costs.late_s,
        read=count_job,
        foresee=foresee,
        told=told,
    )


def attempt(name: str = "r1", tokens: int = 8, stream: bool = True, **fields: object) -> Attempt:
    """One that starts now, with the same request in numbers and in text."""
    now = asyncio.get_running_loop().time()
    body = {"prompt": "abcd", "max_tokens": tokens, "stream": stream, "ignore_eos": True}
    call = Call(
        id=name,
        route=COMPLETIONS,
        payload=json.dumps(body).encode(),
        stream=stream,
        prompt_tokens=4,
        max_tokens=tokens,
        **fields,
    )
    return Attempt(call=call, worker="worker-0", number=1, started_s=now)


def latency(ms: int, direction: str = "to_caller", jitter: int = 0) -> Toxic:
    return Toxic("latency", direction, {"latency": ms, "jitter": jitter})
