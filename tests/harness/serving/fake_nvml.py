"""A card that is not there: what we use of NVML, with the limits that it was told."""


class NVMLError(Exception):
    pass


class NVMLError_NoPermission(NVMLError):  # noqa: N801 - as NVML names it
    pass


class FakeNvml:
    """One card of 100 to 700 W and up to 1980 MHz, at 500 W. `allowed`: whether we may set limits."""

    NVMLError = NVMLError
    NVMLError_NoPermission = NVMLError_NoPermission
    NVML_CLOCK_SM = 1

    def __init__(self, *, allowed: bool = True) -> None:
        self.allowed = allowed
        self.milliwatts = 500_000
        self.locked: tuple[int, int] | None = None

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        return index

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802
        return uuid

    def nvmlDeviceGetIndex(self, handle: str) -> int:  # noqa: N802
        return {"GPU-a": 0, "GPU-b": 1}[handle]

    def nvmlDeviceGetPowerManagementLimitConstraints(self, _card: int) -> tuple[int, int]:  # noqa: N802
        return 100_000, 700_000

    def nvmlDeviceGetMaxClockInfo(self, _card: int, _clock: int) -> int:  # noqa: N802
        return 1980

    def nvmlDeviceGetPowerManagementLimit(self, _card: int) -> int:  # noqa: N802
        return self.milliwatts

    def nvmlDeviceSetPowerManagementLimit(self, _card: int, milliwatts: int) -> None:  # noqa: N802
        self._check()
        self.milliwatts = milliwatts

    def nvmlDeviceSetGpuLockedClocks(self, _card: int, low: int, high: int) -> None:  # noqa: N802
        self._check()
        self.locked = low, high

    def nvmlDeviceResetGpuLockedClocks(self, _card: int) -> None:  # noqa: N802
        self._check()
        self.locked = None

    def _check(self) -> None:
        if not self.allowed:
            raise NVMLError_NoPermission("Insufficient Permissions")
