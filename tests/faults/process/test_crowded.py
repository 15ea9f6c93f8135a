import pytest

from faults.process.cpu_hog import CpuHog
from faults.process.crowded import Crowded
from faults.process.gpu_hog import GpuHog
from faults.process.memory_pressure import MemoryPressure
from tests.faults.fakes import FakeSite


@pytest.mark.parametrize(
    ("fault", "whole", "half"),
    [
        (CpuHog(hogs=4), "crowd 4 cpu", "crowd 2 cpu"),
        (GpuHog(streams=2), "crowd 2 gpu", "crowd 1 gpu"),
        (MemoryPressure(megabytes=10), "crowd 10000000 memory", "crowd 5000000 memory"),
    ],
)
async def test_a_neighbour_grows_and_shrinks_with_the_shape_and_leaves(
    fault: Crowded, whole: str, half: str
) -> None:
    site = FakeSite()
    for level in (1.0, 0.5, 0.0):
        await fault.put(site, level, 3.0)
    await fault.lift(site)
    assert site.done == [whole, half, "uncrowd", "uncrowd"]


def test_a_fair_share_is_what_computing_is_asked_to_suffer() -> None:
    assert [CpuHog(hogs=hogs).effect().asked for hogs in (0, 1, 3)] == [1, 2, 4]
    assert GpuHog(streams=2).effect().asked == 3


@pytest.mark.parametrize("wrong", [-1, 65])
def test_as_many_hogs_as_nobody_means_are_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="cpu_hog: hogs must be 0 or more and at most 64"):
        CpuHog(hogs=wrong)
