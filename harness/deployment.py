"""A serving layer that stands, real or virtual: what a run, its faults and its sampling need of it."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NoReturn, Protocol, TypeAlias

from faults.site import Site
from harness.asking import Compose
from harness.scenario import Topology
from harness.serving.gateway import Gateway
from harness.serving.link import Link
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from harness.serving.worker_state import WorkerState
from policies.pipeline import Pipeline
from policies.policy import Next


class Admin(Protocol):
    """The admin side of one worker."""

    async def state(self) -> WorkerState | None:
        """The worker's own account, None if it does not answer."""
        ...

    async def health(self) -> bool:
        """Whether the worker says that it is well. Takes as long as its answer, a minute at most."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the history says of the layer."""

    engine: str  # torch | cost model
    model: str
    device: str
    step_floor_s: float
    toxiproxy: str  # which server carries the links


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The standing parts, by name."""

    about: About
    gateway: Gateway
    services: Mapping[str, Service]
    entries: Mapping[str, Next]  # the callers' way into each service
    links: Mapping[str, Link]  # the gateway's way to each worker
    admins: Mapping[str, Admin]
    sites: Mapping[str, Site]
    compose: Compose  # how its callers write their requests

    def check_guarded(self) -> None:
        """EnvironmentFault if nobody would undo a fault should we die: then none may be started."""

    async def watch(self) -> NoReturn:
        """Look after what nobody else would miss. Raises once it is gone."""
        await never()


async def never() -> NoReturn:
    """Wait until cancelled."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError


# Stands a layer up: topology, the gateway's pipeline, recorder, seed.
Deploy: TypeAlias = Callable[[Topology, Pipeline, Recorder, int], AbstractAsyncContextManager[Deployment]]
