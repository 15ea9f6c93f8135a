"""The real serving layer: services, gateway, one proxy per link, worker processes. All on loopback.

`run` sends load through it and `serve` leaves it open to any client. Leaving ends every part in reverse
order and checks that it is gone.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import psutil
from aiohttp import web

from faults.toxiproxy.client import Proxy
from faults.toxiproxy.errors import ToxiproxyError
from harness.asking import text_call
from harness.deployment import About, Deployment
from harness.errors import EnvironmentFault
from harness.fault_text import bound_s
from harness.scenario import Topology
from harness.serving.descriptors import allow_descriptors
from harness.serving.fault_desk import FaultDesk
from harness.serving.gateway import NAME as GATEWAY
from harness.serving.gateway import Gateway
from harness.serving.gateway_server import GatewayServer
from harness.serving.http_link import HttpLink
from harness.serving.http_server import RunningServer, application, listen
from harness.serving.janitor_process import guarded
from harness.serving.journal import Journal
from harness.serving.journal_entries import WorkerProcess, start_of
from harness.serving.leftovers import refuse_leftovers
from harness.serving.openai_api import LOCAL
from harness.serving.pool import Pool, RunningWorker
from harness.serving.proxy_server import RunningToxiproxy, open_toxiproxy
from harness.serving.real_site import RealSite
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from harness.serving.toxic_kinds import check_kinds
from harness.serving.worker_admin import WorkerAdmin
from harness.serving.worker_process import WorkerConfig
from policies.pipeline import Pipeline
from policies.policy import Next

WATCH_EVERY_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to stand it up, the same for every scenario."""

    model: str = "tiny"
    device: str = "auto"
    toxiproxy: str = "auto"
    gateway_port: int = 0
    toxics: tuple[str, ...] = ()  # kinds that its links must be able to have
    told: Callable[[str], None] = lambda words: None  # hears of each fault that is ordered, and of its end
    run_name: str = field(default_factory=lambda: f"limplock-{uuid.uuid4().hex[:8]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RealDeployment(Deployment):
    """The standing parts, with their processes and addresses."""

    gateway_server: RunningServer
    workers: dict[str, RunningWorker]
    link_urls: dict[str, str]
    toxiproxy: RunningToxiproxy
    journal: Journal

    def check_guarded(self) -> None:
        self.journal.check()

    async def watch(self) -> NoReturn:
        """EnvironmentFault once the proxies' process is gone, or the janitor."""
        toxiproxy = self.toxiproxy
        while all(psutil.pid_exists(pid) for pid in toxiproxy.pids):
            self.journal.check()
            await asyncio.sleep(WATCH_EVERY_S)
        raise EnvironmentFault(
            f"the {toxiproxy.kind} Toxiproxy at {toxiproxy.url} has ended: every link is cut. Run it again"
        )


@asynccontextmanager
async def deploy(
    topology: Topology, pipeline: Pipeline, recorder: Recorder, seed: int, *, options: Options
) -> AsyncIterator[RealDeployment]:
    """Stand up the layer of `topology` with `pipeline` in the gateway.

    CleanupUnverified, and nothing is started, if something of another run is left.
    """
    allow_descriptors()
    await asyncio.to_thread(refuse_leftovers)
    async with AsyncExitStack() as stack:
        journal, janitor = await stack.enter_async_context(guarded(options.run_name))
        toxiproxy = await stack.enter_async_context(
            open_toxiproxy(options.toxiproxy, options.run_name, journal, seed=seed)
        )
        await check_kinds(toxiproxy.client, options.toxics)  # before workers load their models
        pool = await stack.enter_async_context(Pool(_configs(topology, options)))
        await asyncio.to_thread(_write_down, journal, pool)
        await janitor.ready()
        admins = {
            name: await stack.enter_async_context(WorkerAdmin(name, worker.url))
            for name, worker in pool.workers.items()
        }
        proxies = {
            name: await _proxy(toxiproxy, f"{options.run_name}.{name}", worker)
            for name, worker in pool.workers.items()
        }
        link_urls = {name: f"http://{proxy.listen}" for name, proxy in proxies.items()}
        links = {name: await _link(stack, url, name) for name, url in link_urls.items()}
        gateway = Gateway(pipeline, links, recorder, seed)
        stack.push_async_callback(gateway.close)
        sites = {
            name: RealSite(name, admins[name], pool, toxiproxy.client, proxies[name], links[name], journal)
            for name in proxies
        }
        desk = FaultDesk(sites, journal.check, options.told)
        stack.push_async_callback(desk.close)
        gateway_server = await _serve(
            stack,
            GatewayServer(gateway, desk, _model(pool), _urls(pool), bound_s(pipeline)).application(),
            options.gateway_port,
        )
        services, entries = await _services(stack, topology, recorder, gateway_server.url)
        ready = next(iter(pool.workers.values())).ready
        yield RealDeployment(
            about=About(
                engine="torch",
                model=ready.model,
                device=ready.device,
                step_floor_s=ready.step_floor_s,
                toxiproxy=f"{toxiproxy.kind} {toxiproxy.version}",
            ),
            gateway=gateway,
            gateway_server=gateway_server,
            services=services,
            entries=entries,
            links=links,
            workers=pool.workers,
            compose=text_call,
            admins=admins,
            sites=sites,
            link_urls=link_urls,
            toxiproxy=toxiproxy,
            journal=journal,
        )


def _write_down(journal: Journal, pool: Pool) -> None:
    for worker in pool.workers.values():
        pid = worker.process.pid or 0
        journal.intend(WorkerProcess(pid, start_of(pid)))


def _model(pool: Pool) -> str:
    return next(iter(pool.workers.values())).ready.model


def _urls(pool: Pool) -> dict[str, str]:
    return {name: worker.url for name, worker in pool.workers.items()}


def _configs(topology: Topology, options: Options) -> list[WorkerConfig]:
    return [
        WorkerConfig(
            name=name,
            model=options.model,
            device=options.device,
            index=index,
            max_num_seqs=topology.max_num_seqs,
            max_queue=topology.max_queue,
            told=topology.tells_workers,
            cpu_step_floor_s=topology.step_floor_s,
        )
        for index, name in enumerate(topology.worker_names())
    ]


async def _proxy(toxiproxy: RunningToxiproxy, name: str, worker: RunningWorker) -> Proxy:
    """Put a proxy in front of a worker."""
    try:
        return await toxiproxy.client.create(name, "127.0.0.1:0", f"127.0.0.1:{worker.ready.port}")
    except ToxiproxyError as refused:
        raise EnvironmentFault(str(refused)) from refused


async def _link(stack: AsyncExitStack, url: str, to: str) -> HttpLink:
    link = HttpLink(url, to)
    stack.push_async_callback(link.close)
    return link


async def _serve(stack: AsyncExitStack, app: web.Application, port: int = 0) -> RunningServer:
    server = await listen(app, port)
    stack.push_async_callback(server.close)
    return server


async def _services(
    stack: AsyncExitStack, topology: Topology, recorder: Recorder, gateway_url: str
) -> tuple[dict[str, Service], dict[str, Next]]:
    """The chain of services, built from the gateway towards the callers, and a caller's link to each."""
    services: dict[str, Service] = {}
    entries: dict[str, Next] = {}
    next_url, next_name = gateway_url, GATEWAY
    for tier in reversed(topology.services):
        onward = await _link(stack, next_url, next_name)
        service = Service(tier.name, tier.slots, onward.handle, recorder)
        server = await _serve(stack, application(service.handle, LOCAL))
        services[tier.name] = service
        entries[tier.name] = (await _link(stack, server.url, tier.name)).handle
        next_url, next_name = server.url, tier.name
    return services, entries
