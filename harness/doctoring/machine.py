"""What this machine has and lacks for runs, each with what to do about it."""

import os
import platform
import resource
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import psutil

from harness.errors import LimplockError
from harness.many_runs import check_jobs
from harness.serving.cost_store import choose_costs
from harness.serving.descriptors import LEAST, WANTED, reachable
from harness.serving.journal_reading import left_behind
from harness.serving.leftovers import REMEDY, in_words
from harness.serving.proxy_server import PROGRAM

CORES = 2  # callers, services and gateway on one, the workers on another
BUSY_RATIO = 0.5  # of the cores: what is left must carry a run
MEMORY_MB = 2048  # four workers with torch

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`fix`: what to do, empty if all is well."""

    name: str
    state: State
    words: str
    fix: str = ""


def inspect() -> Iterator[Finding]:
    yield python(sys.version_info[:3])
    yield system(platform.system(), platform.release())
    yield cores(check_jobs(None))
    yield busy(os.getloadavg()[0], check_jobs(None))
    yield memory(psutil.virtual_memory().available / 2**20)
    yield descriptors(*resource.getrlimit(resource.RLIMIT_NOFILE))
    yield toxiproxy(shutil.which(PROGRAM))
    yield leftovers()
    yield costs()
    yield torch()


def python(version: tuple[int, int, int]) -> Finding:
    words = ".".join(map(str, version))
    if version < (3, 11):
        return Finding("Python", "fail", words, "install Python 3.11 or newer")
    return Finding("Python", "ok", words)


def system(name: str, release: str) -> Finding:
    if name in ("Linux", "Darwin"):
        return Finding("system", "ok", f"{name} {release}")
    return Finding("system", "warn", f"{name} {release}", "real runs are tested on Linux and macOS")


def cores(count: int) -> Finding:
    if count < CORES:
        fix = "real runs will be late; take `--engine virtual`, or a machine with two"
        return Finding("cores", "warn", str(count), fix)
    return Finding("cores", "ok", str(count))


def busy(load: float, count: int) -> Finding:
    """By the load average of the last minute."""
    words = f"load average {load:.1f} on {count} cores"
    if load > BUSY_RATIO * count:
        return Finding("idle", "warn", words, "close what keeps it busy before a real run")
    return Finding("idle", "ok", words)


def memory(free_mb: float) -> Finding:
    words = f"{free_mb:,.0f} MB free"
    if free_mb < MEMORY_MB:
        return Finding("memory", "warn", words, f"four workers want {MEMORY_MB:,} MB: close something")
    return Finding("memory", "ok", words)


def descriptors(soft: int, hard: int) -> Finding:
    goal = reachable(soft, hard)
    known = "unlimited" if goal == resource.RLIM_INFINITY else f"{goal:,}"
    if goal != resource.RLIM_INFINITY and goal < LEAST:
        return Finding("open files", "fail", known, f"raise the limit: ulimit -n {WANTED}")
    return Finding("open files", "ok", known)


def toxiproxy(path: str | None) -> Finding:
    return Finding("toxiproxy", "ok", path or f"embedded ({PROGRAM} is not on PATH)")


def leftovers() -> Finding:
    try:
        left = left_behind()
    except LimplockError as wrong:
        return Finding("leftovers", "fail", str(wrong), REMEDY)
    if left:
        more = f", and of {len(left) - 1} more" if len(left) > 1 else ""
        return Finding("leftovers", "fail", f"{in_words(left[0])}{more}", REMEDY)
    return Finding("leftovers", "ok", "nothing is left of any run")


def costs() -> Finding:
    """What virtual runs take a step to cost."""
    try:
        return Finding("costs", "ok", choose_costs().origin)
    except LimplockError as wrong:
        return Finding("costs", "warn", str(wrong), "run `limplock calibrate`")


def torch() -> Finding:
    """Imported late: it takes seconds."""
    try:
        from harness.serving.model.device import pick_device

        device = pick_device("auto")
    except (ImportError, OSError) as wrong:
        return Finding("torch", "fail", f"cannot be imported: {wrong}", "install limplock again with pip")
    return Finding("torch", "ok", f"device {device}")
