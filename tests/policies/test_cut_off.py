"""A call that was cancelled ran out of time, or its caller left; throttles learn from the first."""

import asyncio

import pytest

from policies.assembly import assemble
from policies.call import Call
from policies.cut_off import cut_off
from policies.fallbacks.ladder import Step
from policies.notation import parse
from policies.outcome import Kind


def test_whoever_is_cancelled_at_the_deadline_ran_out_of_time_and_before_it_left():
    call = Call(id="c", deadline_s=2.0)
    assert [(o.kind, o.phase) for o in (cut_off(call, 2.0), cut_off(call, 1.9999995))] == [
        (Kind.TIMEOUT, "total")
    ] * 2
    assert cut_off(call, 1.9).kind is Kind.ABANDONED
    assert cut_off(Call(id="c"), 1e9).kind is Kind.ABANDONED


async def hang(attempt):
    await asyncio.sleep(1e6)


async def ask(pipeline, leaves_s=1e9):
    """Ten calls a second for a minute to a pool that hangs: how those of the last ten seconds ended."""
    bound = assemble(parse(pipeline)).over(("w0",), hang)
    asked = []
    for number in range(600):
        asked.append(asyncio.create_task(bound.run(Call(id="c", seed=str(number)))))
        asyncio.get_running_loop().call_later(leaves_s, asked[-1].cancel)
        await asyncio.sleep(0.1)
    await asyncio.wait(asked)
    return bound, [None if task.cancelled() else task.result().kind for task in asked[-100:]]


@pytest.mark.parametrize("throttle", ["throttle_sre()", "admission_control()"])
async def test_a_pool_in_which_every_call_runs_into_its_deadline_is_asked_less(throttle):
    _, kinds = await ask(f"deadline(total=2) | {throttle}")
    assert kinds.count(Kind.REJECTED) > 60
    assert set(kinds) <= {Kind.REJECTED, Kind.TIMEOUT}


@pytest.mark.parametrize("throttle", ["throttle_sre()", "admission_control()"])
async def test_callers_that_leave_before_their_deadline_are_held_against_nobody(throttle):
    _, kinds = await ask(f"deadline(total=2) | {throttle}", leaves_s=1.0)
    assert kinds == [None] * 100


@pytest.mark.parametrize(("leaves_s", "step"), [(2.0, Step.REFUSING), (1.0, Step.FULL)])
async def test_service_is_taken_back_when_callers_are_cut_off_at_their_deadline(leaves_s, step):
    bound, _ = await ask("brownout(refuse_priority=9) | deadline(total=2)", leaves_s)
    assert bound.pipeline.layers[0].step is step
