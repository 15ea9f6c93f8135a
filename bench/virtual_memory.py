"""What a virtual run keeps: memory of the process, history included, and the file."""

import multiprocessing
import resource
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.report import Figure, Section
from bench.virtual_requests import PRESET, weigh

REQUESTS = 50_000
FIRST = 1_000  # requests before: what every run needs, whatever its length
PER = 100_000
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Kept:
    """What `requests` requests came to."""

    requests: int
    grew_bytes: int  # the peak of the process's resident memory
    file_bytes: int


def measure(requests: int = REQUESTS, first: int = FIRST) -> Section:
    context = multiprocessing.get_context("spawn")  # a fork would begin with what its parent has filled
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=context) as pool:
        kept = pool.submit(_keep, folder, requests, first).result()
    return _section(kept)


def _keep(folder: str, requests: int, first: int) -> Kept:
    weigh(Path(folder), first)
    before = _peak_bytes()
    weighed = weigh(Path(folder), requests)
    return Kept(weighed.requests, _peak_bytes() - before, weighed.bytes)


def _peak_bytes() -> int:
    """Of this program alone: on Linux the resource usage of a process begins with its parent's peak."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _section(kept: Kept) -> Section:
    def scaled(size: int) -> float:
        return size / kept.requests * PER / MEGABYTE

    return Section(
        title=f"virtual_memory: what {PER:,} requests of a virtual run take",
        how=f"preset {PRESET}, 4 workers, inference alone; growth of the peak of a process of its own over"
        f" {kept.requests:,} requests, scaled",
        figures=(
            Figure(name="resident memory", value=scaled(kept.grew_bytes), unit="MB"),
            Figure(name="history file", value=scaled(kept.file_bytes), unit="MB"),
        ),
    )
