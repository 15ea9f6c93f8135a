"""The waiting line under any interleaving of arrivals, endings, cancellations and deadlines."""

import asyncio
from math import inf
from typing import get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from harness.clock import VirtualLoop
from policies.call import Call
from policies.outcome import OK, Kind
from policies.queues.codel import Codel
from policies.queues.line import Discipline, Line, Turn

CONCURRENT, QUEUE = 2, 6


class Watched(Line):
    """Looks at every permit that is passed on: to whom, and who was passed over."""

    def __init__(self, discipline, codel=None):
        super().__init__("line", CONCURRENT, QUEUE, discipline, codel)
        self.discipline = discipline

    def _pass_on(self):
        before = dict(self.waiters)
        alive = [turn for turn in before if not turn.done()]
        super()._pass_on()
        granted = [turn for turn in alive if turn.done() and turn.result() is Turn.GRANTED]
        left = [turn for turn in alive if not turn.done()]
        assert len(granted) <= 1, "one permit came back"
        assert granted or not left, "nobody waits while a permit is free"
        for turn in granted:
            assert before[turn].deadline_s > asyncio.get_running_loop().time(), "never sent too late"
            self._check_order(alive.index(turn), [alive.index(other) for other in left], len(before))

    def _check_order(self, granted, left, waited):
        older = [other for other in left if other < granted]
        newer = [other for other in left if other > granted]
        if self.discipline == "fifo":
            assert not older
        if self.discipline == "lifo":
            assert not newer
        if self.discipline == "adaptive_lifo":
            assert not older or not newer
            assert waited > CONCURRENT or not older, "first come, first served without a backlog"


class LineMachine(RuleBasedStateMachine):
    discipline = "fifo"
    codel = False

    def __init__(self):
        super().__init__()
        self.loop = VirtualLoop()
        self.line = Watched(self.discipline, Codel(0.25, 1.0) if self.codel else None)
        self.tasks = []
        self.inside = {}  # call id: what ends it
        self.entered = []

    async def tier(self, call):
        self.entered.append(call.id)
        self.inside[call.id] = end = self.loop.create_future()
        try:
            return await end
        finally:
            del self.inside[call.id]

    def settle(self):
        for _ in range(4):
            self.loop.run_until_complete(asyncio.sleep(0))

    @rule(patience_s=st.sampled_from([0.5, 1.5, inf]))
    def arrive(self, patience_s):
        call = Call(id=str(len(self.tasks)), deadline_s=self.loop.time() + patience_s)
        self.tasks.append(self.loop.create_task(self.line.run(call, self.tier)))

    @precondition(lambda self: self.inside)
    @rule(data=st.data(), failure=st.booleans())
    def end(self, data, failure):
        end = self.inside[data.draw(st.sampled_from(sorted(self.inside)))]
        if not end.done():
            end.set_exception(KeyError("bug inside")) if failure else end.set_result(OK)

    @precondition(lambda self: self.tasks)
    @rule(data=st.data())
    def cancel(self, data):
        self.tasks[-data.draw(st.integers(1, min(8, len(self.tasks))))].cancel()

    @rule()
    def tick(self):
        self.loop.run_until_complete(asyncio.sleep(0))

    @rule(seconds=st.sampled_from([0.1, 0.6, 2.0]))
    def pass_time(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))
        self.settle()
        assert len(self.inside) == self.line.running
        assert self.line.running == CONCURRENT or not self.line.waiters

    @invariant()
    def permits_stay_within_bounds(self):
        assert 0 <= self.line.running <= CONCURRENT
        assert len(self.inside) <= CONCURRENT
        assert len(self.line.waiters) <= QUEUE

    @invariant()
    def nobody_is_let_in_twice(self):
        assert len(self.entered) == len(set(self.entered))

    def teardown(self):
        for task in self.tasks:
            task.cancel()
        self.settle()
        assert (self.line.running, len(self.line.waiters), self.inside) == (0, 0, {})
        for number, task in enumerate(self.tasks):
            assert task.done()
            self.check_ending(str(number) in self.entered, task)
        self.loop.close()

    def check_ending(self, entered, task):
        """Let in, or expired, or dropped, or refused, or its caller left: one of these, and once."""
        if task.cancelled() or task.exception() is not None:
            return
        outcome = task.result()
        assert entered is (outcome is OK)
        if outcome is not OK:
            assert (outcome.kind, outcome.phase, outcome.status) in (
                (Kind.TIMEOUT, "queue", 504),
                (Kind.REJECTED, "admission", 503),
                *([(Kind.REJECTED, "queue", 503)] if self.codel else []),
            )


class LifoMachine(LineMachine):
    discipline = "lifo"


class AdaptiveMachine(LineMachine):
    discipline = "adaptive_lifo"


class CodelMachine(LineMachine):
    codel = True


class AdaptiveCodelMachine(AdaptiveMachine):
    codel = True


MACHINES = (LineMachine, LifoMachine, AdaptiveMachine, CodelMachine, AdaptiveCodelMachine)
for machine in MACHINES:
    machine.TestCase.settings = settings(
        derandomize=True, max_examples=100, stateful_step_count=30, deadline=None, database=None
    )

TestFifo = LineMachine.TestCase
TestLifo = LifoMachine.TestCase
TestAdaptiveLifo = AdaptiveMachine.TestCase
TestFifoWithCodel = CodelMachine.TestCase
TestAdaptiveLifoWithCodel = AdaptiveCodelMachine.TestCase


async def second(call):
    await asyncio.sleep(1)
    return OK


async def order_of(line, calls):
    """Who is let in when `calls` come together, one after the other."""
    order = []

    async def tier(call):
        order.append(call.id)
        return await second(call)

    await asyncio.gather(*(line.run(Call(id=i), tier) for i in calls))
    return "".join(order)


@pytest.mark.parametrize(
    ("discipline", "order"),
    [
        ("fifo", "abcdefgh"),
        ("lifo", "abhgfedc"),
        # six wait behind two: the newest first until no more wait than are inside, then the oldest
        ("adaptive_lifo", "abhgfecd"),
    ],
)
async def test_who_is_next_is_what_the_discipline_says(discipline, order):
    assert await order_of(Line("line", 2, discipline=discipline), "abcdefgh") == order


async def test_newest_first_does_not_hide_the_expired_at_the_far_end():
    line = Line("line", 1, max_queue=3, discipline="lifo")
    tasks = [asyncio.create_task(line.run(Call(id="a"), second))]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(line.run(Call(id=i, deadline_s=0.5), second)) for i in "bc"]
    tasks += [asyncio.create_task(line.run(Call(id="d"), second))]
    await asyncio.sleep(1.1)
    assert len(line.waiters) == 0
    assert [(await task).kind for task in tasks] == [Kind.OK, Kind.TIMEOUT, Kind.TIMEOUT, Kind.OK]


@pytest.mark.parametrize("discipline", get_args(Discipline))
@pytest.mark.parametrize("leaves", range(4))
async def test_whoever_leaves_in_the_tick_in_which_a_permit_comes_back_is_passed_over(discipline, leaves):
    line, end = Line("line", 1, discipline=discipline), asyncio.get_running_loop().create_future()
    entered = []

    async def tier(call):
        entered.append(call.id)
        return await end if call.id == 9 else OK

    tasks = [asyncio.create_task(line.run(Call(id=i), tier)) for i in (9, 0, 1, 2, 3)]
    await asyncio.sleep(0)
    end.set_result(OK)
    tasks[1 + leaves].cancel()
    await asyncio.wait(tasks)
    assert sorted(entered) == sorted({9, 0, 1, 2, 3} - {leaves})
    assert (line.running, len(line.waiters)) == (0, 0)
