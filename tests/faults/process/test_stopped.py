import pytest

from faults.process.stopped import Stopped
from faults.shape import Ramp
from tests.faults.fakes import FakeSite


async def test_the_share_follows_the_shape_and_none_of_it_is_a_worker_that_runs() -> None:
    site, fault = FakeSite(), Stopped(stopped_ratio=0.4, period_s=2)
    for level in (1.0, 0.5, 0.0):
        await fault.put(site, level, 3.0)
    await fault.lift(site)
    assert site.done == ["stop 0.4 of 2 s", "stop 0.2 of 2 s", "resume", "resume"]


def test_a_ramp_stands_still_for_a_longer_share_each_step() -> None:
    shares = [Stopped(stopped_ratio=0.8).at(level) for _, level in Ramp(rise_s=4).changes()]
    ratios = [share.stopped_ratio for share in shares if share is not None]
    assert ratios == sorted(ratios)
    assert ratios[-1] == 0.8


@pytest.mark.parametrize(
    ("name", "value"), [("stopped_ratio", 1.1), ("stopped_ratio", -0.1), ("period_s", 0)]
)
def test_what_is_no_share_or_no_period_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"stopped: {name} must be"):
        Stopped(**{name: value})
