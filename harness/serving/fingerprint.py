"""What a measured time depends on, told without loading torch."""

import platform
from importlib import metadata
from pathlib import Path

import msgspec
import psutil

_CPU_INFO = Path("/proc/cpuinfo")
_GPU_INFO = Path("/proc/driver/nvidia/gpus")


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A machine with its software. Costs measured under one are not to be trusted under another."""

    cpu: str
    cores: int
    gpu: str  # of the first one that the driver names, empty on a CPU
    python: str
    torch: str


def fingerprint(device: str) -> Fingerprint:
    """Of this machine, for a model on torch device `device`."""
    return Fingerprint(
        cpu=_named(_CPU_INFO, "model name") or platform.processor() or platform.machine(),
        cores=psutil.cpu_count() or 0,
        gpu="" if device == "cpu" else _gpu(),
        python=platform.python_version(),
        torch=metadata.version("torch"),
    )


def _gpu() -> str:
    try:
        files = sorted(_GPU_INFO.glob("*/information"))
    except OSError:
        return ""
    return _named(files[0], "Model") if files else ""


def _named(path: Path, name: str) -> str:
    """The first value of `name: value` lines, empty if there is none."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:  # not Linux
        return ""
    found = (line.partition(":") for line in lines)
    return next((value.strip() for key, _, value in found if key.strip() == name), "")
