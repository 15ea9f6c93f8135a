"""How strong a fault is as time goes by."""

import asyncio
from itertools import islice, pairwise
from math import inf, nan

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import WorkerFault
from faults.process.killed import Killed
from faults.shape import CONSTANT, SHAPES, Flapping, Intermittent, Ramp, Shape
from tests.faults.fakes import FakeSite

MANY = 200


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_begins_at_once_and_never_goes_back_in_time(name: str) -> None:
    changes = list(islice(SHAPES[name]().changes(), MANY))
    assert changes[0][0] == 0
    assert all(earlier <= later for (earlier, _), (later, _) in pairwise(changes))
    assert all(0 <= level <= 1 for _, level in changes)
    assert max(level for _, level in changes) == 1


def test_a_ramp_rises_in_a_straight_line_stays_and_falls_back() -> None:
    changes = list(Ramp(rise_s=10, from_ratio=0.2, hold_s=5, fall_s=10).changes())
    rise = [change for change in changes if change[0] < 10]
    for at_s, level in rise:
        assert level == pytest.approx(0.2 + 0.8 * (at_s + 0.25) / 10)
    assert (10, 1.0) in changes
    assert changes[-1] == (25, 0.0)
    falling = [level for at_s, level in changes if at_s >= 15]
    assert falling == sorted(falling, reverse=True)


def test_a_ramp_of_no_length_is_a_step() -> None:
    assert list(Ramp(rise_s=0, hold_s=4, fall_s=0).changes()) == [(0, 1.0), (4, 0.0)]
    assert list(Ramp(rise_s=0).changes()) == [(0, 1.0)]


def test_an_intermittent_schedule_is_that_of_its_seed() -> None:
    first, again, other = (list(islice(Intermittent(seed=seed).changes(), MANY)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    lengths = [later - earlier for (earlier, level), (later, _) in pairwise(first) if level == 1]
    assert sum(lengths) / len(lengths) == pytest.approx(Intermittent().on_s, rel=0.3)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Ramp(rise_s=-1), "rise_s"),
        (lambda: Ramp(fall_s=inf), "fall_s"),
        (lambda: Ramp(from_ratio=1.5), "from_ratio"),
        (lambda: Ramp(hold_s=nan), "hold_s"),
        (lambda: Flapping(on_s=0), "on_s"),
        (lambda: Flapping(off_s=inf), "off_s"),
        (lambda: Flapping(on_s=1e-320, off_s=1e-320), "on_s"),
        (lambda: Intermittent(off_s=0.009), "off_s"),
        (lambda: Intermittent(on_s=-2), "on_s"),
    ],
)
def test_a_shape_out_of_range_is_refused_with_what_it_must_be(make, what: str) -> None:
    with pytest.raises(ValueError, match=f"{what} must be"):
        make()


def test_a_shape_is_written_as_it_may_be_given() -> None:
    assert str(Ramp(rise_s=3, fall_s=2)) == "ramp(rise_s=3, fall_s=2)"
    assert str(Flapping()) == "flapping()"
    assert str(CONSTANT) == "constant()"


class Factors(FakeSite):
    """Remembers how strong the fault was, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.factors: list[tuple[float, float]] = []

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        await super().inject(fault, lease_s)
        now = asyncio.get_running_loop().time()
        self.factors.append((now, fault.step_s(1.0)))


async def held(shape: Shape, for_s: float) -> tuple[Factors, list[tuple[float, float]]]:
    """What a site was told in that time, and what was heard of the levels, since the start."""
    site, told, start_s = Factors(), [], asyncio.get_running_loop().time()
    async with SlowSteps(factor=5, shape=shape).install(
        site, lambda level: told.append((asyncio.get_running_loop().time() - start_s, level))
    ):
        await asyncio.sleep(for_s)
    site.factors = [(at_s - start_s, factor) for at_s, factor in site.factors]
    return site, told


async def test_a_fault_follows_its_shape_and_says_so() -> None:
    site, told = await held(Flapping(on_s=2, off_s=3), 11)
    assert told == [(0, 1), (2, 0), (5, 1), (7, 0), (10, 1)]
    for at_s, factor in site.factors:
        expected = 5 if any(abs(at_s - start) < 2 for start in (0, 5, 10) if at_s >= start) else 1
        assert factor == expected


async def test_a_ramp_scales_what_is_above_healthy() -> None:
    site, _ = await held(Ramp(rise_s=10), 12)
    for at_s, factor in site.factors:
        assert factor == pytest.approx(1 + 4 * min(1, at_s / 10), abs=0.2)


async def test_what_cannot_be_halved_is_there_from_half_on() -> None:
    fault = Killed()
    assert fault.at(0.4) is None
    assert fault.at(0.6) is fault


async def test_a_change_that_is_lost_is_made_up_for() -> None:
    site = Factors()
    async with SlowSteps(factor=5, shape=Flapping(on_s=2, off_s=20)).install(site):
        await asyncio.sleep(1.9)
        site.fails = True
        await asyncio.sleep(1)
        site.fails = False
        await asyncio.sleep(2)
        assert site.factors[-1][1] == 1
