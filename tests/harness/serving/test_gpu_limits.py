"""Limits of a card, on one that is made up: there is none where these tests run."""

import pytest

from faults.site import GpuCap
from harness.errors import EnvironmentFault
from harness.serving.gpu_limiter import GpuLimiter
from harness.serving.gpu_limits import before, check_range, device_index, restore
from harness.serving.gpu_site import GpuSite
from harness.serving.journaling import NoJournal
from tests.harness.serving.fake_nvml import FakeNvml


def test_a_power_limit_is_set_and_the_one_from_before_comes_back() -> None:
    nvml = FakeNvml()
    limiter = GpuLimiter(0, "power", before(nvml, 0, "power"), nvml)
    limiter.take(200)
    assert nvml.milliwatts == 200_000
    limiter.undo()
    assert nvml.milliwatts == 500_000


def test_clocks_are_locked_and_let_go() -> None:
    nvml = FakeNvml()
    limiter = GpuLimiter(0, "clock", before(nvml, 0, "clock"), nvml)
    limiter.take(600)
    assert nvml.locked == (0, 600)
    limiter.undo()
    assert nvml.locked is None


def test_what_was_never_set_is_never_brought_back() -> None:
    nvml = FakeNvml()
    nvml.milliwatts = 300_000  # somebody else, meanwhile
    GpuLimiter(0, "power", 500, nvml).undo()
    assert nvml.milliwatts == 300_000


def test_who_may_not_set_limits_is_told_so_in_one_line() -> None:
    with pytest.raises(PermissionError, match="limits of GPU 0 need root"):
        GpuLimiter(0, "power", 500, FakeNvml(allowed=False)).take(200)


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        (GpuCap("power", 50), "GPU 0 takes a power limit of 100 to 700 W, got 50"),
        (GpuCap("power", 701), "GPU 0 takes a power limit of 100 to 700 W, got 701"),
        (GpuCap("clock", 5000), "GPU 0 takes a clock limit of 1 to 1980 MHz, got 5000"),
    ],
)
def test_a_limit_out_of_the_range_of_the_card_is_refused_with_the_range(limit: GpuCap, line: str) -> None:
    with pytest.raises(EnvironmentFault, match=line):
        check_range(FakeNvml(), 0, limit)


def test_a_limit_that_does_not_come_back_is_no_clean_up() -> None:
    class Stuck(FakeNvml):
        def nvmlDeviceSetPowerManagementLimit(self, _card: int, milliwatts: int) -> None:  # noqa: N802
            """Says nothing and does nothing."""

    with pytest.raises(OSError, match="the power limit of GPU 0 is 500 W, not 400 W"):
        restore(0, "power", 400, Stuck())


@pytest.mark.parametrize(
    ("visible", "device", "index"),
    [(None, "cuda:1", 1), (None, "cuda", 0), ("3,2", "cuda:1", 2), ("GPU-b,GPU-a", "cuda:0", 1)],
)
def test_the_card_is_the_one_that_torch_means(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, device: str, index: int
) -> None:
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert device_index(FakeNvml(), device) == index


async def test_without_cuda_a_limit_is_refused_before_anything_is_looked_for() -> None:
    def none() -> FakeNvml:
        raise AssertionError("NVML was asked for")

    site = GpuSite("worker-0", "cpu", NoJournal(), none)
    for _ in range(2):
        with pytest.raises(EnvironmentFault, match="a power limit needs worker-0 on CUDA, it is on cpu"):
            site._intend(GpuCap("power", 200))
    await site.uncap()


async def test_a_card_that_does_not_say_what_it_does_shows_nothing() -> None:
    class Dumb(FakeNvml):
        def nvmlDeviceGetClockInfo(self, _card: int, _clock: int) -> int:  # noqa: N802
            raise self.NVMLError("GPU is lost")

    site = GpuSite("worker-0", "cuda:0", NoJournal(), Dumb)
    site._entry = site._intend(GpuCap("clock", 600))
    assert site.seen() == {}
