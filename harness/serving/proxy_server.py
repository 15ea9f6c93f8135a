"""The Toxiproxy server of a run: the one that was named, the one on PATH, or our own embedded one."""

import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.loopback_url import loopback_url
from harness.serving.pool import forkserver_context
from harness.serving.proxy_child import Child, child
from harness.serving.proxy_cleanup import clear
from harness.serving.proxy_guardian import RELEASED, guard_names, guard_program, serve_embedded

PROGRAM = "toxiproxy-server"
EMBEDDED = "embedded"
EXTERNAL = "external"  # at a URL, not ours


@dataclass(frozen=True, slots=True)
class RunningToxiproxy:
    """A server that answers. Proxies made through `client` must have names that start with the run's name."""

    client: ToxiproxyClient
    kind: str  # PROGRAM, EMBEDDED or EXTERNAL
    version: str
    url: str
    pids: tuple[int, ...]  # our processes for it, all gone after leaving


@asynccontextmanager
async def open_toxiproxy(
    choice: str, run_name: str, *, seed: int = 0, context: ForkServerContext | None = None
) -> AsyncIterator[RunningToxiproxy]:
    """The server that `choice` names: `auto`, `embedded`, or the URL of one on loopback.

    Leaving deletes the proxies whose names start with `run_name`, sees that they are gone, and ends what was
    started; so does the death of this process, in whatever way. `seed` is for the chances of toxics.

    Raises BadInput for another choice, EnvironmentFault without a working server, CleanupUnverified on
    leaving. Call it from the main thread.
    """
    url = "" if choice in ("auto", EMBEDDED) else loopback_url("--toxiproxy", choice)
    context = context or forkserver_context()
    program = shutil.which(PROGRAM) if choice == "auto" else None
    if url:
        opened = _external(context, url, run_name)
    elif program:
        opened = _own(child(context, PROGRAM, guard_program, program, seed), PROGRAM, run_name)
    else:
        opened = _own(child(context, EMBEDDED, serve_embedded, seed), EMBEDDED, run_name)
    async with opened as running:
        yield running


@asynccontextmanager
async def _own(
    starting: AbstractAsyncContextManager[Child], kind: str, run_name: str
) -> AsyncIterator[RunningToxiproxy]:
    async with starting as server:
        client = ToxiproxyClient(f"http://127.0.0.1:{server.port}")
        version = await _version(client)
        try:
            yield RunningToxiproxy(client, kind, version, client.url, server.pids)
        finally:
            with suppress(ToxiproxyError):  # then the proxies go down with the process, which is seen to
                await clear(client, run_name)


@asynccontextmanager
async def _external(context: ForkServerContext, url: str, run_name: str) -> AsyncIterator[RunningToxiproxy]:
    client = ToxiproxyClient(url)
    version = await _version(client)
    async with child(context, "guardian of the proxies", guard_names, client.url, run_name) as guardian:
        try:
            yield RunningToxiproxy(client, EXTERNAL, version, client.url, guardian.pids)
        finally:
            await _clear_or_tell(client, run_name)
            with suppress(OSError):  # a guardian that was killed has nothing left to do
                guardian.pipe.send(RELEASED)


async def _version(client: ToxiproxyClient) -> str:
    try:
        return await client.version()
    except ToxiproxyError as error:
        raise EnvironmentFault(f"{error}, or use --toxiproxy embedded") from error


async def _clear_or_tell(client: ToxiproxyClient, run_name: str) -> None:
    try:
        left = await clear(client, run_name)
    except ToxiproxyError as error:
        raise CleanupUnverified(f"proxies named {run_name}* may be left: {error}") from error
    if left:
        raise CleanupUnverified(f"proxies are left on {client.url}: {', '.join(left)}. Delete them by hand")
