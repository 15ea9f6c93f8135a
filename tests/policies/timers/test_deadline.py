"""One instant by which a call must end."""

import asyncio
import math

import pytest

from policies.call import Call
from policies.outcome import OK, Kind
from policies.pipeline import Pipeline
from policies.policy import Observer
from policies.timers.deadline import Deadline


class Inner:
    """Stands for everything inside the layer."""

    def __init__(self, takes_s):
        self.takes_s = takes_s
        self.calls = 0

    async def __call__(self, call):
        self.calls += 1
        await asyncio.sleep(self.takes_s)
        return OK


def now():
    return asyncio.get_running_loop().time()


async def test_a_call_that_is_quick_enough_passes_untouched():
    assert await Deadline(total_s=1).run(Call(id="c"), Inner(0.9)) is OK


async def test_a_call_that_takes_too_long_ends_at_the_deadline():
    outcome = await Deadline(total_s=1).run(Call(id="c"), Inner(5))
    assert (outcome.kind, outcome.phase, outcome.status) == (Kind.TIMEOUT, "total", 504)
    assert now() == 1.0


@pytest.mark.parametrize(("callers_s", "expected_s"), [(math.inf, 2.0), (1.0, 1.0), (3.0, 2.0)])
async def test_the_earlier_of_the_callers_and_its_own_deadline_holds(callers_s, expected_s):
    call = Call(id="c", deadline_s=callers_s)
    await Deadline(total_s=2).run(call, Inner(5))
    assert (call.deadline_s, now()) == (expected_s, expected_s)


async def test_without_any_bound_the_call_may_take_for_ever():
    assert await Deadline(total_s=math.inf).run(Call(id="c"), Inner(1e6)) is OK


@pytest.mark.parametrize("deadline_s", [-1.0, 0.0, 0.05])
async def test_a_call_too_late_for_any_answer_is_refused_unsent(deadline_s):
    inner = Inner(0)
    outcome = await Deadline(reserve_s=0.05).run(Call(id="c", deadline_s=deadline_s), inner)
    assert (outcome.kind, outcome.phase, inner.calls) == (Kind.TIMEOUT, "total", 0)


# cpython#134471: a timer that is due on entry eats a cancellation already on its way
async def test_a_pending_cancellation_wins_over_a_deadline_that_has_passed():
    inner = Inner(1)

    async def late():
        asyncio.current_task().cancel()
        return await Deadline().run(Call(id="c", deadline_s=-1.0), inner)

    task = asyncio.create_task(late())
    await asyncio.wait([task])
    assert task.cancelled()
    assert inner.calls == 0


async def test_a_pending_cancellation_wins_over_a_deadline_about_to_pass():
    async def tight():
        asyncio.current_task().cancel()
        return await Deadline(reserve_s=0).run(Call(id="c", deadline_s=1e-12), Inner(1))

    task = asyncio.create_task(tight())
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_cancellation_in_the_tick_of_the_deadline_wins():
    task = asyncio.create_task(Deadline(total_s=1).run(Call(id="c"), Inner(5)))
    asyncio.get_running_loop().call_at(1.0, task.cancel)
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_timeout_from_further_in_is_not_taken_for_its_own():
    async def broken(call):
        raise TimeoutError("from further in")

    with pytest.raises(TimeoutError, match="from further in"):
        await Deadline().run(Call(id="c"), broken)


async def test_an_attempt_cut_off_by_it_is_recorded_as_such():
    endings = []

    async def hang(attempt):
        await asyncio.sleep(100)

    class Heard(Observer):
        def attempt_ended(self, attempt, outcome, now):
            endings.append((outcome.phase, now))

    bound = Pipeline(layers=(Deadline(total_s=1),)).over(["w0"], hang, Heard())
    await bound.run(Call(id="c"))
    assert endings == [("total", 1.0)]
