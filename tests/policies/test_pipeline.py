"""Order of the layers, choice of a worker, and leases that are closed exactly once whatever happens."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

import pytest

from policies.call import Call, Chunk
from policies.candidates import MOST_SUBSETS
from policies.outcome import OK, Kind, Outcome
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline, Stack
from policies.policy import Gate, Layer, Lease, Observer, Picker, Rejection
from policies.queues.shed_queue_length import ShedQueueLength
from policies.timers.deadline import Deadline
from policies.timers.timers import Timers

WORKERS = ("w0", "w1", "w2")


def now():
    return asyncio.get_running_loop().time()


@dataclass
class Ledger(Gate):
    """Counts leases and remembers how they were closed."""

    refuses: frozenset[str] = frozenset()
    shut: frozenset[str] = frozenset()
    open_leases: Counter = field(default_factory=Counter)
    endings: list = field(default_factory=list)

    def weight(self, worker, now):
        return 0.0 if worker in self.shut else 1.0

    def enter(self, attempt):
        if attempt.worker in self.refuses:
            return Rejection(f"{attempt.worker} is full", retry_after_s=3.0)
        self.open_leases[attempt.worker] += 1
        return LedgerLease(self)

    def describe(self, worker, now):
        return "shut" if worker in self.shut else ""


@dataclass
class LedgerLease(Lease):
    ledger: Ledger
    closed: bool = False

    def close(self, attempt, outcome, now):
        assert not self.closed, "closed twice"
        self.closed = True
        self.ledger.open_leases[attempt.worker] -= 1
        self.ledger.endings.append((attempt.worker, outcome.kind, outcome.phase))


@dataclass
class Ear(Observer):
    heard: list = field(default_factory=list)

    def attempt_started(self, attempt):
        self.heard.append(("started", attempt.worker, attempt.number))

    def attempt_ended(self, attempt, outcome, now):
        self.heard.append(("ended", attempt.worker, outcome.kind, now))

    def gate_rejected(self, attempt, gate, rejection):
        self.heard.append(("rejected", attempt.worker, rejection.reason))


async def answer(attempt):
    await asyncio.sleep(1)
    return OK


async def broken(attempt):
    raise OSError("a bug in the transport")


async def test_a_call_passes_the_layers_from_the_outermost_inwards():
    passed = []

    class Mark(Layer):
        def __init__(self, mark):
            self.mark = mark

        async def run(self, call, next):
            passed.append(self.mark)
            outcome = await next(call)
            passed.append(-self.mark)
            return outcome

    pipeline = Pipeline(layers=(Mark(1), Stack((Mark(2), Mark(3)))))
    assert await pipeline.over(WORKERS, answer).run(Call(id="c")) is OK
    assert passed == [1, 2, 3, -3, -2, -1]


async def test_every_lease_is_closed_once_with_the_outcome_of_the_attempt():
    gates = (Ledger(), Ledger())
    await Pipeline(gates=gates).over(WORKERS, answer).run(Call(id="c"))
    assert [gate.endings for gate in gates] == [[("w0", Kind.OK, "")]] * 2


async def test_an_expired_timer_closes_the_lease_as_a_timeout():
    gate = Ledger()
    bound = Pipeline(gates=(gate,), timers=Timers(attempt_s=0.5)).over(WORKERS, answer)
    await bound.run(Call(id="c"))
    assert gate.endings == [("w0", Kind.TIMEOUT, "attempt")]


async def test_a_bug_in_the_transport_closes_the_lease_and_is_not_hidden():
    gate = Ledger()
    bound = Pipeline(gates=(gate,)).over(WORKERS, broken)
    with pytest.raises(OSError, match="a bug in the transport"):
        await bound.run(Call(id="c"))
    assert gate.endings == [("w0", Kind.ABANDONED, "attempt")]
    assert bound.pending.total() == 0


async def test_a_caller_who_leaves_closes_the_lease_as_abandoned():
    gate = Ledger()
    bound = Pipeline(gates=(gate,)).over(WORKERS, answer)
    task = asyncio.create_task(bound.run(Call(id="c")))
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert gate.endings == [("w0", Kind.ABANDONED, "attempt")]
    assert bound.pending.total() == 0


# asyncio fires a timer up to a clock resolution early: the deadline is no less the cause
@pytest.mark.parametrize("early_s", [0, 1e-9])
async def test_an_attempt_cut_off_by_the_deadline_is_a_timeout_and_not_abandoned(early_s):
    gate = Ledger()
    bound = Pipeline(gates=(gate,)).over(WORKERS, answer)
    task = asyncio.create_task(bound.run(Call(id="c", deadline_s=0.5 + early_s)))
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.wait([task])
    assert gate.endings == [("w0", Kind.TIMEOUT, "total")]


async def test_the_first_rejection_sends_the_picker_to_another_worker():
    first, second = Ledger(), Ledger(refuses=frozenset({"w0"}))
    ear = Ear()
    outcome = await Pipeline(gates=(first, second)).over(WORKERS, answer, ear).run(Call(id="c"))
    assert outcome is OK
    assert first.endings == [("w0", Kind.REJECTED, "admission"), ("w1", Kind.OK, "")]
    assert ear.heard == [
        ("rejected", "w0", "w0 is full"),
        ("started", "w1", 1),
        ("ended", "w1", Kind.OK, 1.0),
    ]


async def test_a_call_that_every_gate_refuses_is_rejected_without_an_attempt():
    gate = Ledger(refuses=frozenset(WORKERS))
    call = Call(id="c")
    outcome = await Pipeline(gates=(gate,)).over(WORKERS, answer).run(call)
    assert (outcome.kind, outcome.phase, outcome.status) == (Kind.REJECTED, "admission", 503)
    assert (outcome.cause, outcome.retry_after_s) == ("w2 is full", 3.0)
    assert (call.attempts, call.last_worker) == (0, "")


async def test_a_worker_without_weight_is_never_asked():
    gate = Ledger(shut=frozenset({"w0", "w1"}))
    bound = Pipeline(gates=(gate,), picker=RoundRobin()).over(WORKERS, answer)
    for _ in range(3):
        await bound.run(Call(id="c"))
    assert {worker for worker, *_ in gate.endings} == {"w2"}
    assert bound.describe(0.0) == {"w0": "shut", "w1": "shut"}


async def test_a_call_reaches_only_the_workers_of_its_configuration():
    gate = Ledger()
    bound = Pipeline(gates=(gate,), picker=RoundRobin()).over(WORKERS, answer)
    for _ in range(4):
        await bound.run(Call(id="c", workers=frozenset({"w1", "w2"})))
    assert Counter(worker for worker, *_ in gate.endings) == {"w1": 2, "w2": 2}


async def test_avoided_workers_are_used_only_when_no_other_is_open():
    gate = Ledger()
    bound = Pipeline(gates=(gate,)).over(WORKERS, answer)
    await bound.run(Call(id="c", avoid={"w0", "w1"}))
    await bound.run(Call(id="c", avoid=set(WORKERS)))
    await bound.run(Call(id="c", avoid={"w0"}, workers=frozenset({"w0"})))
    assert [worker for worker, *_ in gate.endings] == ["w2", "w0", "w0"]


async def test_an_avoided_worker_is_used_when_all_others_refuse_at_the_door():
    """As when their weight had told: a retry would rather go elsewhere, but has nowhere else to go."""
    gate, ear = Ledger(refuses=frozenset({"w1", "w2"})), Ear()
    assert await Pipeline(gates=(gate,)).over(WORKERS, answer, ear).run(Call(id="c", avoid={"w0"})) is OK
    assert [(what, worker) for what, worker, *_ in ear.heard] == [
        ("rejected", "w1"),
        ("rejected", "w2"),
        ("started", "w0"),
        ("ended", "w0"),
    ]


async def test_many_sets_of_allowed_workers_are_each_kept_to():
    bound = Pipeline(picker=RoundRobin()).over(WORKERS, answer)
    for number in range(2 * MOST_SUBSETS):
        for worker in WORKERS:
            call = Call(id="c", workers=frozenset({worker, f"elsewhere-{number}"}))
            await bound.run(call)
            assert call.last_worker == worker


# smg-project/smg#2130: counting ended at the headers, so a streaming worker looked idle
async def test_a_stream_is_pending_and_its_lease_open_until_the_last_token():
    async def stream(attempt):
        await asyncio.sleep(0.01)  # headers
        attempt.deliver(Chunk(b"", tokens=0), now())
        await asyncio.sleep(5)
        return OK

    gate = Ledger()
    bound = Pipeline(gates=(gate,)).over(WORKERS, stream)
    task = asyncio.create_task(bound.run(Call(id="c")))
    await asyncio.sleep(4.9)
    assert (bound.pending["w0"], gate.open_leases["w0"]) == (1, 1)
    await task
    assert (bound.pending["w0"], gate.open_leases["w0"]) == (0, 0)


# cpython#86296: wait_for swallowed a cancel that raced with completion
async def test_a_cancellation_in_the_tick_of_the_answer_is_not_swallowed():
    answered = asyncio.Event()

    async def wait(attempt):
        await answered.wait()
        return OK

    gate = Ledger()
    pipeline = Pipeline(
        layers=(Deadline(), ShedQueueLength()), gates=(gate,), timers=Timers(ttft_s=9, attempt_s=9)
    )
    task = asyncio.create_task(pipeline.over(WORKERS, wait).run(Call(id="c")))
    await asyncio.sleep(1)
    answered.set()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert gate.endings == [("w0", Kind.ABANDONED, "attempt")]


async def test_layers_learn_how_many_attempts_were_made_and_where_the_last_one_went():
    call = Call(id="c")
    bound = Pipeline(picker=RoundRobin()).over(WORKERS, answer)
    await bound.run(call)
    await bound.run(call)
    assert (call.attempts, call.last_worker) == (2, "w1")


async def test_bare_layer_gate_picker_and_timers_change_nothing():
    outcome = Outcome(kind=Kind.ERROR, status=500, cause="boom")

    async def fail(attempt):
        return outcome

    bound = Pipeline(layers=(Layer(),), gates=(Gate(),)).over(["w0"], fail)
    assert await bound.run(Call(id="c")) is outcome
    assert bound.describe(0.0) == {}


def test_a_pipeline_without_workers_is_refused():
    with pytest.raises(ValueError, match="at least one worker"):
        Pipeline().over([], answer)


async def test_the_weights_of_several_gates_multiply():
    @dataclass(frozen=True)
    class Share(Gate):
        share: float

        def weight(self, worker, now):
            return self.share

    class First(Picker):
        def pick(self, call, candidates):
            weights.extend(candidate.weight for candidate in candidates.in_order())
            return super().pick(call, candidates)

    async def send(attempt):
        return OK

    weights = []
    pipeline = Pipeline(gates=(Share(0.5), Share(0.4), Gate()), picker=First())
    await pipeline.over(["w0", "w1"], send).run(Call(id="c"))
    assert weights == [pytest.approx(0.2)] * 2
