"""The worker's process is gone: the easy case. Connections are refused at once and nobody waits."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

from faults.fault import Fault, Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed(Fault):
    """The process ends at once and stays away for the rest of the run."""

    kind: ClassVar[str] = "killed"
    meaning: ClassVar[str] = "the worker's process is killed and does not come back"
    heals: ClassVar[bool] = False

    @asynccontextmanager
    async def install(self, site: Site) -> AsyncIterator[None]:
        await site.kill()
        yield
