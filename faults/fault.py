"""The fault contract: what goes wrong, as data plus one method.

A fault is installed by `async with`, so leaving heals. It lives where the slowness is: in the worker (every
step asks `step_s`), on the link (`toxics`), or in the process (`install` acts itself). The base class is a
fault that does nothing. Every fault has a lease at its site and ends by itself when nobody renews it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import ClassVar, Protocol

from faults.lease import LEASE_S, renewed


@dataclass(frozen=True, slots=True)
class Toxic:
    """One toxic on a link. `attributes` are in Toxiproxy's own units."""

    type: str
    direction: str  # to_caller | to_worker
    attributes: dict[str, int]


class Site(Protocol):
    """What a fault can touch at one worker. Real runs and virtual runs each have their own."""

    worker: str

    async def inject(self, fault: "Fault", lease_s: float) -> None:
        """Make the worker ask this fault at each step, for `lease_s` seconds; again to renew."""
        ...

    async def heal(self) -> None:
        """Take an injected fault out of the worker. Does nothing if there is none."""
        ...

    async def add_toxics(self, toxics: tuple[Toxic, ...]) -> None: ...
    async def remove_toxics(self) -> None:
        """Take our toxics off the link and see that they are gone."""
        ...

    async def kill(self) -> None:
        """End the worker's process at once and see that it is gone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Nothing goes wrong."""

    kind: ClassVar[str] = "none"
    meaning: ClassVar[str] = "nothing goes wrong"
    heals: ClassVar[bool] = True  # leaving brings the worker back to what it was

    def step_s(self, step_s: float) -> float:
        """Seconds that an engine step takes which would have taken `step_s`. Its slots stay held."""
        return step_s

    def toxics(self) -> tuple[Toxic, ...]:
        """What to put on the link."""
        return ()

    @asynccontextmanager
    async def install(self, site: Site) -> AsyncIterator[None]:
        """The fault is there while the block runs."""
        yield

    def parameters(self) -> dict[str, float]:
        """Attributes by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFault(Fault):
    """A fault inside a worker's engine."""

    @asynccontextmanager
    async def install(self, site: Site) -> AsyncIterator[None]:
        """Raises what the site raises when the worker does not take the fault.

        Then nothing is healed: a worker that is not there cannot confirm it, which would hide the cause, and
        what reached it all the same ends with its lease.
        """
        try:
            await site.inject(self, LEASE_S)
        except asyncio.CancelledError:  # it may be there, and nobody says what went wrong
            await site.heal()
            raise
        try:
            async with renewed(lambda: site.inject(self, LEASE_S)):
                yield
        finally:
            await site.heal()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFault(Fault):
    """A fault between the gateway and one worker."""

    @asynccontextmanager
    async def install(self, site: Site) -> AsyncIterator[None]:
        try:
            await site.add_toxics(self.toxics())
            yield
        finally:
            await site.remove_toxics()
