"""The Toxiproxy server of a run: the one that was named, the one on PATH, or our own embedded one."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.journal import Journal
from harness.serving.journal_entries import ProxiesOn, ServerProcess, start_of
from harness.serving.loopback_url import loopback_url
from harness.serving.pool import forkserver_context
from harness.serving.proxy_child import Child, child
from harness.serving.proxy_cleanup import clear
from harness.serving.proxy_guardian import guard_program, serve_embedded

PROGRAM = "toxiproxy-server"
EMBEDDED = "embedded"
EXTERNAL = "external"  # at a URL, not ours


@dataclass(frozen=True, slots=True)
class RunningToxiproxy:
    """A server that answers. Proxies made through `client` must be named `RUN.*` after the run."""

    client: ToxiproxyClient
    kind: str  # PROGRAM, EMBEDDED or EXTERNAL
    version: str
    url: str
    pids: tuple[int, ...]  # our processes for it, all gone after leaving


@asynccontextmanager
async def open_toxiproxy(
    choice: str,
    run_name: str,
    journal: Journal,
    *,
    seed: int = 0,
    context: ForkServerContext | None = None,
) -> AsyncIterator[RunningToxiproxy]:
    """The server that `choice` names: `auto`, `embedded`, or the URL of one on loopback.

    Leaving deletes the proxies named `run_name.*`, sees that they are gone, and ends what was started. After
    the death of this process the `journal` says what is left of them. `seed` is for the chances of toxics.

    Raises BadInput for another choice, EnvironmentFault without a working server, CleanupUnverified on
    leaving. Call it from the main thread.
    """
    url = "" if choice in ("auto", EMBEDDED) else loopback_url("--toxiproxy", choice)
    program = shutil.which(PROGRAM) if choice == "auto" else None
    context = context or (None if url else forkserver_context())
    if url or context is None:
        opened = _external(url, run_name, journal)
    elif program:
        opened = _own(child(context, PROGRAM, guard_program, program, seed), PROGRAM, run_name, journal)
    else:
        opened = _own(child(context, EMBEDDED, serve_embedded, seed), EMBEDDED, run_name, journal)
    async with opened as running:
        yield running


@asynccontextmanager
async def _own(
    starting: AbstractAsyncContextManager[Child], kind: str, run_name: str, journal: Journal
) -> AsyncIterator[RunningToxiproxy]:
    async with starting as child_:
        client = ToxiproxyClient(f"http://127.0.0.1:{child_.port}")
        version = await _version(client)
        server = ServerProcess(child_.server_pid, start_of(child_.server_pid))
        await asyncio.to_thread(journal.intend, ProxiesOn(client.url, run_name, server))
        try:
            yield RunningToxiproxy(client, kind, version, client.url, child_.pids)
        finally:
            with suppress(ToxiproxyError):  # then the proxies go down with the process, which is seen to
                await clear(client, run_name)


@asynccontextmanager
async def _external(url: str, run_name: str, journal: Journal) -> AsyncIterator[RunningToxiproxy]:
    client = ToxiproxyClient(url)
    version = await _version(client)
    proxies = ProxiesOn(client.url, run_name)
    await asyncio.to_thread(journal.intend, proxies)
    try:
        yield RunningToxiproxy(client, EXTERNAL, version, client.url, ())
    finally:
        await _clear_or_tell(client, run_name)
        journal.done(proxies)


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
        raise CleanupUnverified(
            f"proxies are left on {client.url}: {', '.join(left)}. They are ours to delete"
        )
