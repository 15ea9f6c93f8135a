import asyncio

import pytest

from harness.serving.halt import DutyCycle, Halt


def test_a_cycle_stands_still_at_the_beginning_of_each_period() -> None:
    cycle = DutyCycle(stopped_ratio=0.25, period_s=4, since_s=100)
    assert cycle.at(100) == (True, 101)
    assert cycle.at(101) == (False, 104)
    assert cycle.at(104.5) == (True, 105)


@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_what_it_stood_still_is_the_sum_of_its_stops(ratio: float) -> None:
    cycle, step_s = DutyCycle(ratio, 0.5, 0.0), 0.001
    for end in (0.2, 0.5, 1.7):
        stopped = sum(cycle.at(n * step_s)[0] for n in range(round(end / step_s))) * step_s
        assert cycle.stopped_s(end) == pytest.approx(stopped, abs=0.002)


async def test_whoever_waits_goes_on_when_it_runs() -> None:
    halt = Halt()
    halt.order(0.5, 2.0, 100)
    await halt.over()
    assert now() == 1.0
    await halt.over()
    assert now() == 1.0


async def test_a_lease_that_nobody_renews_ends_the_halt_and_one_that_is_renewed_keeps_its_schedule() -> None:
    halt = Halt()
    halt.order(1.0, 2.0, 3.0)
    await asyncio.sleep(2)
    halt.order(1.0, 2.0, 3.0)
    await halt.over()
    assert now() == 5.0


async def test_lifting_lets_everybody_go_on_at_once() -> None:
    halt = Halt()
    halt.order(1.0, 2.0, 100)
    asyncio.get_running_loop().call_later(0.7, halt.lift)
    await asyncio.gather(halt.over(), halt.over())
    assert now() == 0.7


async def test_patience_may_be_shorter_than_the_halt() -> None:
    halt = Halt()
    halt.order(1.0, 2.0, 100)
    assert not await halt.over_within(0.5)
    assert now() == 0.5
    halt.lift()
    assert await halt.over_within(0.5)


def now() -> float:
    return asyncio.get_running_loop().time()
