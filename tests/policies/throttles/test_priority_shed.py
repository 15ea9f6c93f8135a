"""The least important calls are refused first."""

import asyncio
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from policies.call import Call
from policies.outcome import Kind
from policies.throttles.priority_shed import PriorityShed, _Shedder

CRITICAL, DEFAULT, SHEDDABLE = 0, 1, 2


async def traffic(shed, pool, *, per_s, for_s, mix):
    """Calls of the priorities in `mix` in turn; for each priority how many came and how many were refused."""
    came, refused = Counter(), Counter()
    tasks = []
    for number in range(round(per_s * for_s)):
        call = Call(id="c", priority=mix[number % len(mix)], seed=str(number))
        tasks.append((call.priority, asyncio.create_task(shed.run(call, pool))))
        await asyncio.sleep(1 / per_s)
    for priority, task in tasks:
        came[priority] += 1
        refused[priority] += (await task).kind is Kind.REJECTED
    return {priority: refused[priority] / came[priority] for priority in sorted(came)}


async def test_below_the_target_nobody_is_refused(backend):
    shed = PriorityShed(max_concurrent=10)
    shares = await traffic(shed, backend(shed), per_s=14, for_s=60, mix=[0, 1, 1, 2])
    assert shares == {0: 0, 1: 0, 2: 0}


async def test_the_target_is_held_at_twice_the_load(backend):
    shed = PriorityShed(max_concurrent=10)
    pool = backend(shed)
    await traffic(shed, pool, per_s=32, for_s=60, mix=[1])
    shares = await traffic(shed, pool, per_s=32, for_s=60, mix=[1])
    assert shares[1] == pytest.approx(0.5, abs=0.05)


async def test_a_priority_is_shed_by_shares_and_not_now_all_and_now_none(backend, offer, refused_ratio):
    shed = PriorityShed(max_concurrent=10)
    outcomes = (await offer(shed, backend(shed), per_s=32, for_s=80))[-640:]
    for first in range(0, 640, 16):
        assert 0 < refused_ratio(outcomes[first : first + 16]) < 1


async def test_critical_calls_are_refused_last(backend):
    shed = PriorityShed(max_concurrent=10)
    pool = backend(shed)
    await traffic(shed, pool, per_s=32, for_s=60, mix=[0, 1, 1, 2])
    shares = await traffic(shed, pool, per_s=32, for_s=60, mix=[0, 1, 1, 2])
    assert shares[CRITICAL] == 0
    assert 0.3 < shares[DEFAULT] < 0.7  # half of all: the sheddable quarter, and a quarter of all from here
    assert shares[SHEDDABLE] == 1


async def test_it_recovers_to_no_shedding_when_the_pressure_is_gone(backend):
    shed = PriorityShed(max_concurrent=10)
    pool = backend(shed)
    pool.takes_s = 5.0
    during = await traffic(shed, pool, per_s=10, for_s=60, mix=[0, 1, 2])
    assert during[SHEDDABLE] > 0.7
    pool.takes_s = 0.5
    await traffic(shed, pool, per_s=10, for_s=20, mix=[0, 1, 2])
    after = await traffic(shed, pool, per_s=10, for_s=20, mix=[0, 1, 2])
    assert after == {0: 0, 1: 0, 2: 0}


async def test_a_refusal_says_who_and_when_to_come_again(backend):
    shed = PriorityShed(max_concurrent=1, interval_s=2.0, gain=1.0)
    pool = backend(shed)
    pool.takes_s = 100.0
    tasks = [asyncio.create_task(shed.run(Call(id="c"), pool)) for _ in range(5)]
    await asyncio.sleep(2.0)
    refused = await shed.run(Call(id="c", priority=7), pool)
    assert (refused.kind, refused.phase, refused.by) == (Kind.REJECTED, "admission", "priority_shed")
    assert (refused.status, refused.retry_after_s) == (503, 2.0)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_a_cancelled_call_and_one_that_breaks_are_no_longer_inside(backend):
    shed = PriorityShed()

    async def broken(call):
        raise KeyError("bug")

    with pytest.raises(KeyError):
        await shed.run(Call(id="c"), broken)
    task = asyncio.create_task(shed.run(Call(id="c"), backend(shed)))
    await asyncio.sleep(0.1)
    assert shed._state.in_flight.value == 1
    task.cancel()
    await asyncio.wait([task])
    assert shed._state.in_flight.value == 0


class AnyTraffic(RuleBasedStateMachine):
    """Calls of any priorities come and go; at every moment the order of importance holds."""

    def __init__(self):
        super().__init__()
        self.shedder = _Shedder(PriorityShed(max_concurrent=2, gain=0.5))
        self.now = 0.0
        self.inside = 0
        self.calls = 0

    def admits(self, priority, seed):
        self.calls += 1
        return self.shedder.admits(Call(id="c", priority=priority, seed=str(seed)), self.now)

    @rule(seconds=st.sampled_from([0.0, 0.3, 1.0, 2.0, 20.0]))
    def pass_time(self, seconds):
        self.now += seconds

    @rule(priority=st.integers(-1, 4), seed=st.integers(0, 50), times=st.integers(1, 5))
    def call(self, priority, seed, times):
        for number in range(times):
            if self.admits(priority, seed + number):
                self.shedder.in_flight.add(1, self.now)
                self.inside += 1

    @rule(leave=st.integers(0, 5))
    def end(self, leave):
        for _ in range(min(leave, self.inside)):
            self.shedder.in_flight.add(-1, self.now)
            self.inside -= 1

    @rule(important=st.integers(-1, 4), less=st.integers(-1, 4), seed=st.integers(0, 50))
    def nobody_passes_while_somebody_more_important_is_refused(self, important, less, seed):
        if important < less and self.admits(less, seed):
            assert self.admits(important, seed + 1)

    @invariant()
    def those_inside_are_counted_and_something_may_always_pass(self):
        assert self.shedder.in_flight.value == self.inside >= 0
        assert 0 <= self.shedder._ratio.value <= 0.95


AnyTraffic.TestCase.settings = settings(
    max_examples=80, stateful_step_count=30, deadline=None, derandomize=True
)
TestAnyTraffic = AnyTraffic.TestCase
