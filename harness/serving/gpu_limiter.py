"""Holds a limit of a GPU: the deed of a sidecar, so that the limit goes when nobody renews it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from harness.errors import EnvironmentFault
from harness.serving.gpu_limits import load_nvml, restore, set_limit

LOOK_S = 1.0


class GpuLimiter:
    """Of the GPU `index`, whose `kind` of limit was `before`."""

    def __init__(self, index: int, kind: str, before: float, nvml: Any = None) -> None:
        self._index = index
        self._kind = kind
        self._before = before
        self._nvml = nvml
        self._amount: float | None = None

    def take(self, wanted: float) -> None:
        if wanted == self._amount:
            return
        try:
            self._nvml = self._nvml or load_nvml()
        except EnvironmentFault as absent:
            raise OSError(str(absent)) from absent
        self._amount = wanted
        set_limit(self._nvml, self._index, self._kind, wanted)

    def go_on(self) -> float:
        return LOOK_S

    def seen(self) -> Mapping[str, float]:
        return {}

    def undo(self) -> None:
        if self._amount is not None:
            with suppress(OSError, EnvironmentFault):  # whoever ended us looks for himself
                restore(self._index, self._kind, self._before, self._nvml)
            self._amount = None
