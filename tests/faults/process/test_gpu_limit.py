import pytest

from faults.process.gpu_limit import GpuClockLimit, GpuLimit, GpuPowerLimit
from faults.shape import Flapping
from tests.faults.fakes import FakeSite


@pytest.mark.parametrize(
    ("fault", "capped"),
    [(GpuPowerLimit(watts=150), "cap power 150"), (GpuClockLimit(mhz=900), "cap clock 900")],
)
async def test_a_limit_is_there_or_not(fault: GpuLimit, capped: str) -> None:
    site = FakeSite()
    for level in (1.0, 0.6, 0.4):
        await fault.put(site, level, 3.0)
    await fault.lift(site)
    assert site.done == [capped, capped, "uncap", "uncap"]


async def test_a_limit_that_flaps_is_brought_back_in_between() -> None:
    fault = GpuClockLimit(mhz=900, shape=Flapping(on_s=1, off_s=1))
    _, (_, second) = list(zip(range(2), fault.changes(), strict=False))
    assert fault.at(second[1]) is None


@pytest.mark.parametrize("make", [lambda: GpuPowerLimit(watts=0), lambda: GpuClockLimit(mhz=0)])
def test_a_limit_of_nothing_is_refused(make: type[GpuLimit]) -> None:
    with pytest.raises(ValueError, match="must be 1 or more"):
        make()
