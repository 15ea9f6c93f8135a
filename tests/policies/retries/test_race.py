"""Whatever happens in whichever order: one answer, in order and from one worker, and nothing left behind."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.clock import run_virtual
from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Gate, Lease
from policies.retries.hedge import Hedge
from policies.retries.retry_budget import RetryBudget
from policies.timers.deadline import Deadline
from policies.timers.timers import Timers

WORKERS = ("w0", "w1", "w2", "w3")
ENDINGS = (
    OK,
    Outcome(kind=Kind.ERROR, status=500),
    Outcome(kind=Kind.ERROR, status=400),
    Outcome(kind=Kind.OVERLOAD, status=503),
    Outcome(kind=Kind.TIMEOUT, phase="attempt"),
    Outcome(kind=Kind.ABANDONED),
)
# Few different times, so that things often happen in the very same instant.
SECONDS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 5.0])
ANSWERS = st.tuples(
    st.lists(st.tuples(SECONDS, st.integers(0, 2)), max_size=4),  # pauses, and content tokens after each
    SECONDS,
    st.sampled_from(ENDINGS),
)


@dataclass(eq=False)
class Permits(Gate):
    """At most two attempts on a worker; counts what is held."""

    held: dict = field(default_factory=dict)

    def weight(self, worker, now):
        return float(self.held.get(worker, 0) < 2)

    def enter(self, attempt):
        self.held[attempt.worker] = self.held.get(attempt.worker, 0) + 1
        return _Permit(self)


@dataclass(eq=False)
class _Permit(Lease):
    gate: Permits
    closed: bool = False

    def close(self, attempt, outcome, now):
        assert not self.closed, "closed twice"
        self.closed = True
        self.gate.held[attempt.worker] -= 1


@dataclass(eq=False)
class Race:
    """Calls against scripted workers, each call left by its caller after a while or not."""

    answers: tuple
    hedge: Hedge
    stream: bool
    leaves_s: tuple
    mode: str
    gate: Permits = field(default_factory=Permits)
    read: dict = field(default_factory=dict)

    async def send(self, attempt):
        chunks, rest_s, ending = self.answers[WORKERS.index(attempt.worker)]
        for number, (pause_s, tokens) in enumerate(chunks):
            await asyncio.sleep(pause_s)
            said = f"{attempt.worker} {number} of {len(chunks)} {attempt.number}".encode()
            attempt.deliver(Chunk(said, tokens=tokens), asyncio.get_running_loop().time())
        await asyncio.sleep(rest_s)
        return ending

    async def run(self):
        before = asyncio.all_tasks()
        budget = RetryBudget(mode=self.mode, ratio=0.5, min_per_sec=0.1, min_retry_concurrency=1)
        bound = Pipeline(
            layers=(Deadline(total_s=8), budget, self.hedge),
            gates=(self.gate,),
            timers=Timers(ttft_s=3, itl_s=3),
        ).over(WORKERS, self.send)
        calls = [self.new_call(str(number)) for number in range(len(self.leaves_s))]
        tasks = [asyncio.create_task(bound.run(call)) for call in calls]
        for task, leaves_s in zip(tasks, self.leaves_s, strict=True):
            asyncio.get_running_loop().call_later(leaves_s, task.cancel)
        await asyncio.wait(tasks)
        await asyncio.sleep(100)
        assert asyncio.all_tasks() == before, "a racer was left behind"
        assert bound.pending.total() == 0
        assert not any(self.gate.held.values()), "a permit leaked"
        assert self.hedge._used.taken == 0
        for call, task in zip(calls, tasks, strict=True):
            self.check(call, task)
        hedges = sum(max(0, call.attempts - 1) for call in calls)
        if self.mode == "finagle":
            assert hedges <= 0.5 * len(calls) + 0.1 * 10
        if self.mode == "envoy":
            assert budget.rule.retries == budget.rule.calls == 0

    def new_call(self, name):
        self.read[name] = []
        return Call(id=name, stream=self.stream, sink=lambda chunk: self.read[name].append(chunk))

    def check(self, call, task):
        said = [chunk.data.decode().split() for chunk in self.read[call.id]]
        assert call.attempts <= self.hedge.most_attempts
        assert len({(worker, attempt) for worker, *_, attempt in said}) <= 1, "pieces of two answers"
        assert [int(number) for _, number, *_ in said] == list(range(len(said))), "out of order"
        assert call.committed == any(chunk.tokens for chunk in self.read[call.id])
        if not task.cancelled() and task.result().answered:
            assert len(said) == int(said[0][3]) if said else True, "an answer without its end"
        if not self.stream and said:
            assert task.cancelled() or task.result().answered, "half an answer that does not stream"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    answers=st.tuples(*[ANSWERS] * len(WORKERS)),
    delay_s=SECONDS,
    max_hedges=st.integers(1, 3),
    stream=st.booleans(),
    leaves_s=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 50.0]), min_size=1, max_size=5).map(tuple),
    mode=st.sampled_from(["finagle", "envoy", "grpc", "aws"]),
)
@example(
    answers=(([(1.0, 1)], 0.0, OK),) * 4,
    delay_s=0.0,
    max_hedges=3,
    stream=True,
    leaves_s=(1.0, 50.0),
    mode="envoy",
)
def test_exactly_one_answer_in_order_and_nothing_left_whatever_the_order_of_events(
    answers, delay_s, max_hedges, stream, leaves_s, mode
):
    hedge = Hedge(delay_s=delay_s, max_hedges=max_hedges, max_utilization_ratio=1)
    run_virtual(Race(answers, hedge, stream, leaves_s, mode).run())
