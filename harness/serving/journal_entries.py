"""What a run may leave outside its own process tree, or stopped inside it: entries of its journal.

Each can be acted on: ValueError for one that nobody can have meant, which on reading is a damaged line.
"""

from typing import Literal

import msgspec

from harness.errors import BadInput, EnvironmentFault
from harness.serving.loopback_url import loopback_url
from harness.serving.process_identity import runs, started_s

LAST_PID = 2**31 - 1  # as the system counts


class OfProcess(msgspec.Struct, frozen=True):
    """A process of ours. `started_s` as `process_identity.started_s` has it."""

    pid: int
    started_s: float

    def __post_init__(self) -> None:
        if not 0 < self.pid <= LAST_PID:
            raise ValueError(f"no process has the number {self.pid}")

    @property
    def process(self) -> str:
        """What it is, in words."""
        return "process"

    def __str__(self) -> str:
        return f"{self.process} {self.pid}"


class WorkerProcess(OfProcess, frozen=True, tag="worker"):
    """A worker, with whatever fault is in it."""

    @property
    def process(self) -> str:
        return "worker process"


class StoppedProcess(OfProcess, frozen=True, tag="stopped"):
    """A worker that is held by SIGSTOP, or may be, so that it cannot end by itself."""

    @property
    def process(self) -> str:
        return "stopped worker process"


class NeighbourProcess(OfProcess, frozen=True, tag="neighbour"):
    """A noisy neighbour: of the CPU, of the memory, of the GPU."""

    @property
    def process(self) -> str:
        return "noisy neighbour, process"


class ServerProcess(OfProcess, frozen=True, tag="server"):
    """A Toxiproxy server that we started."""

    @property
    def process(self) -> str:
        return "Toxiproxy process"


class ToxicsOn(msgspec.Struct, frozen=True, tag="toxics"):
    """Toxics named `owner.*` on a proxy of the server at `url`."""

    url: str
    proxy: str
    owner: str

    def __post_init__(self) -> None:
        _check_url(self.url)

    def __str__(self) -> str:
        return f"toxics {self.owner}.* on proxy {self.proxy} at {self.url}"


class ProxiesOn(msgspec.Struct, frozen=True, tag="proxies"):
    """Proxies named `run_name.*` on the server at `url`, with the toxics on them.

    If the server is ours, they go with it.
    """

    url: str
    run_name: str
    server: ServerProcess | None = None

    def __post_init__(self) -> None:
        _check_url(self.url)

    def __str__(self) -> str:
        return f"proxies {self.run_name}.* at {self.url}"


class GpuLimit(msgspec.Struct, frozen=True, tag="gpu"):
    """A limit of a GPU that was `before` (watts; for clocks, MHz, 0: none) and is to be again."""

    device: int
    kind: Literal["power", "clock"]
    before: float

    def __str__(self) -> str:
        return f"{self.kind} limit of GPU {self.device}"


Entry = WorkerProcess | StoppedProcess | NeighbourProcess | ServerProcess | ToxicsOn | ProxiesOn | GpuLimit


def process_of(entry: Entry) -> OfProcess | None:
    """The process of ours that it ends with."""
    process = entry.server if isinstance(entry, ProxiesOn) else entry
    return process if isinstance(process, OfProcess) else None


def is_gone(entry: Entry) -> bool:
    """Whether nothing is left of it because its process has ended."""
    process = process_of(entry)
    return process is not None and not runs(process.pid, process.started_s)


def _check_url(url: str) -> None:
    """ValueError unless it is one that a run may talk to."""
    try:
        loopback_url("toxiproxy", url)
    except BadInput as wrong:
        raise ValueError(str(wrong)) from wrong


def start_of(pid: int) -> float:
    """`started_s` for an entry. EnvironmentFault if the process is gone already."""
    start_s = started_s(pid)
    if start_s is None:
        raise EnvironmentFault(f"process {pid} ended before it could be written down. Run it again")
    return start_s
