"""The serving layer of a virtual run: the same services, gateway and workers, in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from harness.asking import counted_call
from harness.capacity import step_floor_s
from harness.clock import VirtualLoop
from harness.deployment import About, Deployment
from harness.scenario import Topology
from harness.serving.cost_model import CostModel, Costs
from harness.serving.engine import Sequence
from harness.serving.gateway import Gateway
from harness.serving.job import count_job
from harness.serving.memory_link import MemoryLink
from harness.serving.memory_process import StartAgain
from harness.serving.memory_site import MemoryAdmin, MemorySite
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from harness.serving.step_loops import StepLoops
from harness.serving.worker import Worker
from policies.call import Call
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Next

ENGINE = "cost model"


@asynccontextmanager
async def deploy_virtual(
    topology: Topology, pipeline: Pipeline, recorder: Recorder, seed: int, *, costs: Costs
) -> AsyncIterator[Deployment]:
    """Stand up the layer of `topology` with `pipeline` in the gateway. Steps take what `costs` says."""
    makes = {
        name: partial(_worker, rank, name, topology, costs)
        for rank, name in enumerate(topology.worker_names())
    }
    workers = {name: make() for name, make in makes.items()}
    links = {name: MemoryLink(worker, costs.link_s, seed) for name, worker in workers.items()}
    gateway = Gateway(pipeline, links, recorder, seed)
    services, entries = _services(topology, recorder, gateway.handle, costs.hop_s)
    loops = StepLoops()
    steps = {name: loops.start(worker) for name, worker in workers.items()}
    sites = {name: MemorySite(links[name], steps[name], _again(makes[name], loops)) for name in workers}
    try:
        yield VirtualDeployment(
            loops=loops,
            about=About(
                engine=ENGINE,
                model=costs.name,
                device="virtual",
                step_floor_s=step_floor_s(topology, costs),
                toxiproxy="none: links in memory",
            ),
            gateway=gateway,
            services=services,
            entries=entries,
            links=links,
            admins={name: MemoryAdmin(site) for name, site in sites.items()},
            sites=sites,
            compose=counted_call,
        )
    finally:
        await gateway.close()
        for link in links.values():
            link.close()
        await loops.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualDeployment(Deployment):
    """The standing parts, with the workers' step loops."""

    loops: StepLoops

    async def watch(self) -> NoReturn:
        await self.loops.watch()


def _again(make: Callable[[], Worker], loops: StepLoops) -> StartAgain:
    """Another worker of the same name, with nothing in it."""

    def start() -> tuple[Worker, asyncio.Task[None]]:
        worker = make()
        return worker, loops.start(worker)

    return start


def _worker(rank: int, name: str, topology: Topology, costs: Costs) -> Worker:
    """Steps end after all else that happens at a moment, and those of several workers in pool order."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualLoop):
        raise TypeError(f"a virtual layer stands on a virtual loop, not on {loop!r}")
    engine, last = CostModel(costs, topology.max_num_seqs), loop.call_at_last

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        return engine.step(batch), engine.step_s(batch)

    return Worker(
        name,
        engine,
        compute,
        max_queue=topology.max_queue,
        step_floor_s=step_floor_s(topology, costs),
        late_s=costs.late_s,
        call_at=lambda when_s, callback: last(when_s, rank, callback),
        read=count_job,
        foresee=engine.foresee if topology.tells_workers else None,  # what is kept is counted step by step
        told=topology.tells_workers,
    )


def _services(
    topology: Topology, recorder: Recorder, gateway: Next, hop_s: float
) -> tuple[dict[str, Service], dict[str, Next]]:
    """The chain of services, built from the gateway towards the callers, and a caller's way into each."""
    services: dict[str, Service] = {}
    entries: dict[str, Next] = {}
    onward = gateway
    for tier in reversed(topology.services):
        service = Service(tier.name, tier.slots, _hop(onward, hop_s), recorder)
        services[tier.name] = service
        entries[tier.name] = _hop(service.handle, hop_s)
        onward = service.handle
    return services, entries


def _hop(next: Next, hop_s: float) -> Next:
    """One hop over HTTP on the way to `next`."""
    if not hop_s:
        return next

    async def pass_on(call: Call) -> Outcome:
        await asyncio.sleep(hop_s)
        return await next(call)

    return pass_on
