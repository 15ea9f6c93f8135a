"""`limplock serve`: pool and gateway, open to any OpenAI-style client on loopback until told to stop."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import psutil

from harness.config import make_writable
from harness.errors import BadInput, EnvironmentFault
from harness.judging.history import NoHistory
from harness.real_deployment import Options, RealDeployment, deploy
from harness.scenario import Topology
from harness.serving.model.cache import cache_dir
from harness.serving.recorder import Recorder
from policies.presets.preset import Preset

SAME_START_S = 5.0  # the system derives a start from its boot time, which moves when the clock is set


class Announcement(msgspec.Struct, frozen=True):
    """What a serving process leaves for `limplock fault` to find it."""

    pid: int
    started_s: float  # of the process, so that a reused process id is not taken for it
    gateway: str


async def serve(
    workers: int, preset: Preset, options: Options, announce: Callable[[RealDeployment], None]
) -> None:
    """Stand until cancelled. EnvironmentFault if the cache cannot be written, or the proxies have ended."""
    _make_folder()
    topology = Topology(services=(), workers=workers)
    async with deploy(
        topology, preset.build(workers), Recorder(NoHistory()), 0, options=options
    ) as deployment:
        with _announced(deployment.gateway_server.url):
            announce(deployment)
            await deployment.watch()


def find_gateway() -> str:
    """The URL of the one gateway that serves here. Says so if there is none, or more than one."""
    found = [announcement.gateway for announcement in _announcements()]
    if not found:
        raise EnvironmentFault(
            "no `limplock serve` is running here. Start one, or name it with --gateway URL"
        )
    if len(found) > 1:
        raise BadInput(f"several gateways serve here. Name one with --gateway: {', '.join(sorted(found))}")
    return found[0]


@contextmanager
def _announced(gateway: str) -> Iterator[None]:
    path = _folder() / f"{os.getpid()}.json"
    mine = Announcement(os.getpid(), psutil.Process().create_time(), gateway)
    try:
        path.write_bytes(msgspec.json.encode(mine))
    except OSError as wrong:
        raise _unwritable(wrong) from wrong
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def _announcements() -> Iterator[Announcement]:
    for path in sorted(_folder().glob("*.json")):
        try:
            announcement = msgspec.json.decode(path.read_bytes(), type=Announcement)
        except (OSError, msgspec.DecodeError):
            continue
        if not psutil.pid_exists(announcement.pid):  # killed: it could not take its file away
            with suppress(OSError):
                path.unlink()
        elif _is_its(announcement):
            yield announcement


def _is_its(announcement: Announcement) -> bool:
    """Whether the process of that id is still the one that announced itself."""
    try:
        started_s = psutil.Process(announcement.pid).create_time()
    except psutil.Error:
        return False
    return abs(started_s - announcement.started_s) <= SAME_START_S


def _folder() -> Path:
    return cache_dir() / "serve"


def _make_folder() -> None:
    try:
        make_writable(_folder())
    except OSError as wrong:
        raise _unwritable(wrong) from wrong


def _unwritable(wrong: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"cannot write to {_folder()}: {wrong.strerror}. Set LIMPLOCK_CACHE to a folder that can be written"
    )
