"""The fault contract: what goes wrong, as data plus a way to put it there.

A fault is installed by `async with`, so leaving heals. It lives where the slowness is: inside the worker,
which asks its hooks (`WorkerFault`); on the link, as toxics (`LinkFault`); or at the process. The base class
is a fault that does nothing. What is put at a site has a lease: it ends by itself when nobody renews it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, ClassVar, Self

from faults.effect import NOTHING, Effect, Fidelity
from faults.hooks import Hooks
from faults.magnitude import seconds
from faults.shape import CONSTANT, Change, Shape
from faults.site import Site, Toxic

LEASE_S = 3.0  # long enough to miss one renewal on a busy machine, short enough not to outlive anybody
RENEWALS = 3  # a lease: one may be lost

Heard = Callable[[float], None]  # hears of each level that the fault has from now on


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Nothing goes wrong.

    `shape` says how strong it is as time goes by. Every other attribute is a number.
    """

    kind: ClassVar[str] = "none"
    meaning: ClassVar[str] = "nothing goes wrong"
    fidelity: ClassVar[Fidelity] = Fidelity.SIMULATED
    heals: ClassVar[bool] = True  # leaving brings the worker back to what it was
    neutral: ClassVar[Mapping[str, float]] = {}  # attributes that a shape scales, and their value at level 0

    shape: Shape = CONSTANT

    # What it is.

    def effect(self) -> Effect:
        """What a judge must see of it at full strength."""
        return NOTHING

    def parameters(self) -> dict[str, float]:
        """Attributes by name, without the shape."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "shape"}

    def at(self, level: float) -> Self | None:
        """This fault at a share of its strength. What cannot be halved is there or not: None."""
        if level >= 1:
            return self
        if not self.neutral:
            return self if level >= 0.5 else None
        scaled = {name: none + level * (getattr(self, name) - none) for name, none in self.neutral.items()}
        kinds = {field.name: field.type for field in fields(self)}
        return self._with({n: round(v) if kinds[n] is int else v for n, v in scaled.items()})

    def sized(self, timeout_s: float) -> Self:
        """With numbers for shares of the timeout of attempts. ValueError without one, or out of range."""
        found = {name: seconds(value, timeout_s) for name, value in self.parameters().items()}
        changed = {name: value for name, value in found.items() if value is not getattr(self, name)}
        return self._with(changed) if changed else self

    def _with(self, changed: Mapping[str, Any]) -> Self:
        return replace(self, **changed)

    # How it comes and goes.

    def changes(self) -> Iterator[Change]:
        """Its levels as time goes by."""
        return self.shape.changes()

    async def check(self, site: Site) -> None:
        """Before anything begins: raises what the site raises when it can never take the fault."""

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        """Have it at `site` at this share of its strength for `lease_s`; again to change or to renew."""

    async def lift(self, site: Site) -> None:
        """Take it away and see that it is gone."""

    @asynccontextmanager
    async def install(self, site: Site, heard: Heard = lambda level: None) -> AsyncIterator[None]:
        """The fault is there while the block runs, as strong as its shape says. `heard` is told each level.

        Raises what the site raises when it does not take the fault.
        """
        changes = self.changes()
        started_s = _now()
        _, level = next(changes)
        await self._begin(site, level)
        heard(level)
        over = asyncio.Event()
        course = asyncio.create_task(self._follow(site, changes, started_s, level, heard, over))
        try:
            yield
        finally:
            over.set()
            try:
                # Not cancelled: what is given up half way may still arrive, after the fault was lifted.
                await asyncio.wait([course])
                course.result()
            except asyncio.CancelledError:
                course.cancel()
                raise
            finally:
                await _to_the_end(self.lift(site))

    async def _begin(self, site: Site, level: float) -> None:
        """If it cannot be put there nothing is lifted: a worker that is gone cannot confirm it, which would
        hide the cause, and what reached it all the same ends with its lease.
        """
        try:
            await self.put(site, level, LEASE_S)
        except asyncio.CancelledError:  # it may be there, and nobody says what went wrong
            await self.lift(site)
            raise

    async def _follow(
        self,
        site: Site,
        changes: Iterator[Change],
        started_s: float,
        level: float,
        heard: Heard,
        over: asyncio.Event,
    ) -> None:
        """Change the level as its time comes, and renew the lease in between, until it is `over`."""
        told = level
        for since_s, next_level in changes:
            await self._hold_until(site, level, started_s + since_s, over)
            if over.is_set():
                return
            level = next_level
            if await self._put_again(site, level) and level != told:
                heard(level)
                told = level
        await self._hold_until(site, level, inf, over)

    async def _hold_until(self, site: Site, level: float, when_s: float, over: asyncio.Event) -> None:
        while not over.is_set() and (left_s := when_s - _now()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), min(left_s, LEASE_S / RENEWALS))
            if not over.is_set() and _now() < when_s:
                await self._put_again(site, level)

    async def _put_again(self, site: Site, level: float) -> bool:
        """Whether it arrived. One may be lost; the next one comes before the lease ends."""
        try:
            await self.put(site, level, LEASE_S)
        except OSError:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFault(Hooks, Fault):
    """A fault inside a worker, which asks its hooks. These answer as if nothing were wrong."""

    fidelity: ClassVar[Fidelity] = Fidelity.ENGINE

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        now = self.at(level)
        if now is None:
            await site.heal()
        else:
            await site.inject(now, lease_s)

    async def lift(self, site: Site) -> None:
        await site.heal()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFault(Fault):
    """A fault between the gateway and one worker."""

    fidelity: ClassVar[Fidelity] = Fidelity.PROXY

    def toxics(self) -> tuple[Toxic, ...]:
        """What to put on the link."""
        return ()

    async def check(self, site: Site) -> None:
        for toxic in self.toxics():
            await site.check(toxic)

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        now = self.at(level)
        await site.set_toxics(() if now is None else now.toxics(), lease_s)

    async def lift(self, site: Site) -> None:
        await site.remove_toxics()

    async def _begin(self, site: Site, level: float) -> None:
        try:
            await self.put(site, level, LEASE_S)
        except BaseException:  # some may be on the link already, and toxics need no worker to take them off
            await self.lift(site)
            raise


async def _to_the_end(lifting: Coroutine[Any, Any, None]) -> None:
    """Who is cancelled meanwhile hears so afterwards: what is half lifted is neither there nor gone."""
    task = asyncio.ensure_future(lifting)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        raise


def _now() -> float:
    return asyncio.get_running_loop().time()
