import pytest

from faults.process.killed import Killed
from tests.faults.fakes import FakeSite


@pytest.fixture
def site() -> FakeSite:
    return FakeSite()


async def test_a_killed_worker_is_killed_once_and_nothing_brings_it_back(site: FakeSite) -> None:
    async with Killed().install(site):
        pass
    assert site.done == ["kill"]
