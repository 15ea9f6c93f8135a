import re
import resource

import pytest

from harness.errors import EnvironmentFault
from harness.serving.descriptors import WANTED, allow_descriptors, reachable

NO_LIMIT = resource.RLIM_INFINITY


class Limits:
    """A machine's limits on open files."""

    def __init__(self, soft: int, hard: int, *, locked: bool = False) -> None:
        self.now = (soft, hard)
        self.locked = locked

    def get(self, which: int) -> tuple[int, int]:
        assert which == resource.RLIMIT_NOFILE
        return self.now

    def set(self, which: int, limits: tuple[int, int]) -> None:
        if self.locked:
            raise ValueError("not allowed to raise maximum limit")
        self.now = limits


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Limits:
    limits = Limits(*request.param[:2], locked=len(request.param) > 2)
    monkeypatch.setattr(resource, "getrlimit", limits.get)
    monkeypatch.setattr(resource, "setrlimit", limits.set)
    return limits


@pytest.mark.parametrize("machine", [(256, NO_LIMIT), (1024, 1048576)], indirect=True)
def test_a_common_limit_is_raised_and_the_hard_one_left(machine: Limits) -> None:
    hard = machine.now[1]
    allow_descriptors()
    assert machine.now == (WANTED, hard)


@pytest.mark.parametrize("machine", [(1024, 3000)], indirect=True)
def test_it_is_raised_as_far_as_the_hard_limit_allows(machine: Limits) -> None:
    allow_descriptors()
    assert machine.now == (3000, 3000)


@pytest.mark.parametrize("limits", [(WANTED, WANTED), (65536, 65536), (NO_LIMIT, NO_LIMIT)])
def test_a_generous_limit_is_never_lowered(limits: tuple[int, int]) -> None:
    assert reachable(*limits) == limits[0]


@pytest.mark.parametrize("machine", [(1024, 1024), (256, NO_LIMIT, "locked")], indirect=True)
def test_a_limit_that_cannot_be_raised_is_said_with_the_remedy(machine: Limits) -> None:
    says = f"the limit here is {machine.now[0]} (hard limit "
    with pytest.raises(EnvironmentFault, match=re.escape(says) + r".*ulimit -n 4096$"):
        allow_descriptors()


@pytest.mark.parametrize("machine", [(3000, 8192, "locked")], indirect=True)
def test_a_limit_that_is_enough_for_a_run_needs_no_raising(machine: Limits) -> None:
    allow_descriptors()
    assert machine.now == (3000, 8192)
