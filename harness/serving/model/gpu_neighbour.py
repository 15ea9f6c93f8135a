"""A neighbour on the worker's GPU that leaves no gap between its kernels: the deed of a sidecar."""

from collections.abc import Mapping

import torch

SIZE = 4096  # rows of a square matrix: a few milliseconds a product on a large card
QUEUED = 4  # products in flight, so that the device never waits for us
IDLE_S = 0.05


class GpuNeighbour:
    """Multiplies matrices on `device` from a context of its own."""

    def __init__(self, device: str, size: int = SIZE) -> None:
        self._device = device
        self._size = size
        self._matrix: torch.Tensor | None = None
        self._done = 0

    def take(self, wanted: object) -> None:
        """Anything: there is but one thing to do. ValueError if the device does not let us."""
        if self._matrix is not None:
            return
        try:
            self._matrix = torch.randn(self._size, self._size, device=self._device)
        except (RuntimeError, AssertionError) as refused:  # torch without CUDA asserts
            raise ValueError(str(refused).partition("\n")[0]) from refused

    def go_on(self) -> float:
        if self._matrix is None:
            return IDLE_S
        for _ in range(QUEUED):
            torch.mm(self._matrix, self._matrix)
        if self._device.startswith("cuda"):
            torch.cuda.synchronize(self._device)
        self._done += QUEUED
        return 0.0

    def seen(self) -> Mapping[str, float]:
        return {"neighbours": 1.0, "neighbour_megabytes": 0.0}

    def undo(self) -> None:
        self._matrix = None
