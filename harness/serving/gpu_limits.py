"""Limits of a GPU through NVML: read, set, brought back. Needs `nvidia-ml-py` (the extra `gpu`).

`nvml` is that module, or whatever has its functions.
"""

import importlib
import os
from typing import Any

from faults.site import GpuCap
from harness.errors import EnvironmentFault

MILLI = 1000  # NVML counts milliwatts


def load_nvml() -> Any:
    """NVML, ready for use. EnvironmentFault in one line where there is none."""
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError as missing:
        raise EnvironmentFault("limits of a GPU need NVML: pip install 'limplock[gpu]'") from missing
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as absent:
        raise EnvironmentFault(f"there is no NVIDIA driver to set limits with: {absent}") from absent
    return nvml


def device_index(nvml: Any, device: str) -> int:
    """NVML's index of torch's `device`, which counts only what CUDA_VISIBLE_DEVICES shows."""
    number = int(device.partition(":")[2] or 0)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return number
    name = visible.split(",")[number].strip()
    if name.isdecimal():
        return int(name)
    return int(nvml.nvmlDeviceGetIndex(nvml.nvmlDeviceGetHandleByUUID(name)))


def check_range(nvml: Any, index: int, limit: GpuCap) -> None:
    """EnvironmentFault unless the card can have this limit."""
    try:
        card = nvml.nvmlDeviceGetHandleByIndex(index)
        if limit.kind == "power":
            low, high = (each / MILLI for each in nvml.nvmlDeviceGetPowerManagementLimitConstraints(card))
            unit = "W"
        else:
            low, high = 1, nvml.nvmlDeviceGetMaxClockInfo(card, nvml.NVML_CLOCK_SM)
            unit = "MHz"
    except nvml.NVMLError as unknown:
        raise EnvironmentFault(f"GPU {index} has no {limit.kind} limit to set: {unknown}") from unknown
    if not low <= limit.amount <= high:
        raise EnvironmentFault(
            f"GPU {index} takes a {limit.kind} limit of {low:g} to {high:g} {unit}, got {limit.amount}"
        )


def before(nvml: Any, index: int, kind: str) -> float:
    """The limit as it is: watts; of clocks 0, none, since NVML does not tell a limit that somebody set."""
    if kind != "power":
        return 0.0
    try:
        card = nvml.nvmlDeviceGetHandleByIndex(index)
        return float(nvml.nvmlDeviceGetPowerManagementLimit(card) / MILLI)
    except nvml.NVMLError as unknown:
        raise OSError(f"GPU {index} does not say its power limit: {unknown}") from unknown


def set_limit(nvml: Any, index: int, kind: str, amount: float) -> None:
    """PermissionError or OSError in one line if the card refuses. A clock limit of 0 takes it away."""
    try:
        card = nvml.nvmlDeviceGetHandleByIndex(index)
        if kind == "power":
            nvml.nvmlDeviceSetPowerManagementLimit(card, round(amount * MILLI))
        elif amount > 0:
            nvml.nvmlDeviceSetGpuLockedClocks(card, 0, round(amount))
        else:
            nvml.nvmlDeviceResetGpuLockedClocks(card)
    except nvml.NVMLError_NoPermission as refused:
        raise PermissionError(f"limits of GPU {index} need root, or a driver that lets others") from refused
    except nvml.NVMLError as refused:
        raise OSError(f"GPU {index} refused the {kind} limit: {refused}") from refused


def restore(index: int, kind: str, amount: float, nvml: Any = None) -> None:
    """Bring a limit back that was `before`, and see that it is. OSError or EnvironmentFault if it is not."""
    nvml = nvml or load_nvml()
    set_limit(nvml, index, kind, amount)
    if kind == "power" and abs(before(nvml, index, kind) - amount) > 1:
        raise OSError(f"the power limit of GPU {index} is {before(nvml, index, kind):g} W, not {amount:g} W")
