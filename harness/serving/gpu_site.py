"""The GPU of one worker: its limits, set by a sidecar and brought back."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal

from faults.site import GpuCap
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.gpu_limiter import GpuLimiter
from harness.serving.gpu_limits import MILLI, before, check_range, device_index, load_nvml, restore
from harness.serving.journal_entries import GpuLimit
from harness.serving.journaling import Journaling
from harness.serving.sidecar import Refused, Sidecar


class GpuSite:
    """`device`: where the worker computes, as torch names it."""

    def __init__(
        self, worker: str, device: str, journal: Journaling, nvml: Callable[[], Any] = load_nvml
    ) -> None:
        self._worker = worker
        self._device = device
        self._journal = journal
        self._load = nvml
        self._nvml: Any = None
        self._limiter: Sidecar | None = None
        self._entry: GpuLimit | None = None
        self._set = False  # whether a limit of ours may be there

    async def check(self, limit: GpuCap) -> None:
        """EnvironmentFault where there is no such GPU or limit. Of permission nothing is known before."""
        await asyncio.to_thread(self._find, limit)

    async def cap(self, limit: GpuCap, lease_s: float) -> None:
        """EnvironmentFault, and nothing is changed, where there is no such GPU, limit, or permission."""
        if self._entry is None:
            self._entry = await asyncio.to_thread(self._intend, limit)
        try:
            if self._limiter is None or not self._limiter.runs:
                what = f"{limit.kind} limit of {self._worker}'s GPU"
                self._limiter = await Sidecar.start(
                    what, GpuLimiter, self._entry.device, limit.kind, self._entry.before
                )
            await self._limiter.order(limit.amount, lease_s)
            self._set = True
        except Refused:
            await self._give_up()
            raise
        except Exception:
            await self.uncap()
            raise

    async def uncap(self) -> None:
        """CleanupUnverified if the limit from before is not seen to be back."""
        if self._limiter is not None:
            await self._limiter.end()
            self._limiter = None
        if self._entry is not None:
            entry = self._entry
            try:
                await asyncio.to_thread(restore, entry.device, entry.kind, entry.before, self._nvml)
            except (OSError, EnvironmentFault) as left:
                raise CleanupUnverified(f"{entry} is not as it was ({entry.before:g}): {left}") from left
            self._journal.done(entry)
            self._entry, self._set = None, False

    def seen(self) -> Mapping[str, float]:
        """The limit in force and the clock as they are, while there is a limit of ours."""
        if self._entry is None or self._nvml is None:
            return {}
        nvml, power = self._nvml, self._entry.kind == "power"
        try:
            card = nvml.nvmlDeviceGetHandleByIndex(self._entry.device)
            if power:
                return {"gpu_power_limit_watts": nvml.nvmlDeviceGetEnforcedPowerLimit(card) / MILLI}
            return {"gpu_clock_mhz": float(nvml.nvmlDeviceGetClockInfo(card, nvml.NVML_CLOCK_SM))}
        except nvml.NVMLError:  # a card that does not say now shows nothing, and ends no run
            return {}

    async def _give_up(self) -> None:
        """The card has refused. Who may not set a limit may not bring one back either, nor need he."""
        if self._set:
            await self.uncap()
            return
        if self._limiter is not None:
            await self._limiter.end()
        if self._entry is not None:
            self._journal.done(self._entry)
        self._limiter = self._entry = None

    def _find(self, limit: GpuCap) -> int:
        """NVML's index of a GPU that can have it."""
        if not self._device.startswith("cuda"):
            raise EnvironmentFault(
                f"a {limit.kind} limit needs {self._worker} on CUDA, it is on {self._device}. Use slow_steps"
            )
        self._nvml = self._load()
        index = device_index(self._nvml, self._device)
        check_range(self._nvml, index, limit)
        return index

    def _intend(self, limit: GpuCap) -> GpuLimit:
        index = self._find(limit)
        kind: Literal["power", "clock"] = "power" if limit.kind == "power" else "clock"
        entry = GpuLimit(index, kind, before(self._nvml, index, kind))
        self._journal.intend(entry)
        return entry
