"""How each entry of a journal is undone, and seen to be: by the janitor, or by `limplock recover`."""

import asyncio
import signal
from collections.abc import Iterable
from contextlib import suppress

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from faults.toxiproxy.owned import belongs
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.gpu_limits import restore
from harness.serving.journal_entries import (
    Entry,
    OfProcess,
    ProxiesOn,
    ServerProcess,
    StoppedProcess,
    ToxicsOn,
    WorkerProcess,
)
from harness.serving.process_identity import runs, send
from harness.serving.proxy_cleanup import clear, is_of_run, recreate

CALL_LIMIT_S = 1.5
KILL_LIMIT_S = 1.0
QUIET_S = 0.3  # a call that was on its way when its sender died may still make a proxy
_LOOK_S = 0.02


async def undo_all(entries: Iterable[Entry]) -> dict[Entry, str]:
    """Undo them side by side: one that hangs holds up no other. What could not be undone, with the reason."""
    todo = tuple(entries)
    ended = await asyncio.gather(*(undo(entry) for entry in todo), return_exceptions=True)
    failed: dict[Entry, str] = {}
    for entry, end in zip(todo, ended, strict=True):
        if isinstance(end, CleanupUnverified):
            failed[entry] = str(end)
        elif isinstance(end, BaseException):
            raise end
    return failed


async def weaken_all(entries: Iterable[Entry]) -> None:
    """Take the faults and leave the rest: of a run that is stopped, and may go on some day.

    What cannot be done now is left to its next call.
    """
    for entry in entries:
        with suppress(ToxiproxyError, CleanupUnverified, PermissionError):
            if isinstance(entry, StoppedProcess):
                send(signal.SIGCONT, entry.pid, entry.started_s)
            elif isinstance(entry, ProxiesOn):
                await _take_toxics_of_proxies(entry)
            elif not isinstance(entry, WorkerProcess | ServerProcess):
                await undo(entry)


async def undo(entry: Entry) -> None:
    """Undo one. It may be undone already. CleanupUnverified, with the reason, if it is not seen to be."""
    try:
        if isinstance(entry, OfProcess):
            await _end_process(entry)
        elif isinstance(entry, ProxiesOn):
            await _take_proxies(entry)
        elif isinstance(entry, ToxicsOn):
            await _take_toxics(entry)
        else:
            await asyncio.to_thread(restore, entry.device, entry.kind, entry.before)
    except (ToxiproxyError, EnvironmentFault, OSError) as error:
        raise CleanupUnverified(str(error)) from error


async def _end_process(entry: OfProcess) -> None:
    """SIGKILL, which also ends what is stopped. Never another process that has its number now."""
    try:
        send(signal.SIGKILL, entry.pid, entry.started_s)
    except PermissionError as refused:
        raise CleanupUnverified(f"it may not be ended: {refused.strerror}") from refused
    for _ in range(int(KILL_LIMIT_S / _LOOK_S)):
        if not runs(entry.pid, entry.started_s):
            return
        await asyncio.sleep(_LOOK_S)
    raise CleanupUnverified("it still runs after SIGKILL")


async def _take_proxies(entry: ProxiesOn) -> None:
    if entry.server is not None:
        await _end_process(entry.server)
        return
    client = ToxiproxyClient(entry.url, call_limit_s=CALL_LIMIT_S)
    deadline_s = _now() + QUIET_S
    while True:
        if left := await clear(client, entry.run_name):
            raise CleanupUnverified(f"still there after they were deleted: {', '.join(left)}")
        if _now() >= deadline_s:
            return
        await asyncio.sleep(_LOOK_S)


async def _take_toxics(entry: ToxicsOn) -> None:
    client = ToxiproxyClient(entry.url, call_limit_s=CALL_LIMIT_S)
    deadline_s = _now() + QUIET_S
    while entry.proxy in await client.list():
        for toxic in await client.toxics(entry.proxy):
            if belongs(toxic, entry.owner):
                await client.remove_toxic(entry.proxy, toxic)
        left = [toxic for toxic in await client.toxics(entry.proxy) if belongs(toxic, entry.owner)]
        if left:
            raise CleanupUnverified(f"still there after they were removed: {', '.join(left)}")
        if _now() >= deadline_s:
            return
        await asyncio.sleep(_LOOK_S)


async def _take_toxics_of_proxies(entry: ProxiesOn) -> None:
    """By a new proxy in the place of the old: removing one toxic may hang the original for good."""
    client = ToxiproxyClient(entry.url, call_limit_s=CALL_LIMIT_S)
    for name, proxy in (await client.list()).items():
        if is_of_run(name, entry.run_name) and await client.toxics(name):
            await client.delete(name)
            await recreate(client, proxy)


def _now() -> float:
    return asyncio.get_running_loop().time()
