"""A run of a sweep: it makes its own folder, so that a large sweep does not begin with thousands of them."""

from pathlib import Path

from harness.judging.result import RunResult
from harness.virtual_run import VirtualRun


class SweptRun(VirtualRun, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True):
    """As a `VirtualRun`, and with the same token."""

    def conduct(self, folder: Path) -> RunResult:
        folder.mkdir(parents=True, exist_ok=True)
        return super().conduct(folder)
