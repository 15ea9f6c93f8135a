import asyncio

import pytest

from harness.judging.history import Attempted, Gauge, History, Refused, Visit
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.call import Attempt, Call, Chunk
from policies.limits.bulkhead import Bulkhead
from policies.outcome import OK, Kind, Outcome
from policies.pickers.hcl import Hcl
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.policy import Picker
from policies.pool import Load, Pool
from policies.timers.timers import Timers
from tests.harness.serving.memory_stand import memory_stand


class FakeLink:
    """Answers with one token after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.sent: list[Attempt] = []
        self.asked = 0

    async def load(self) -> Load | None:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        return Load(in_flight=3, latency_s=self.seconds)

    async def send(self, attempt: Attempt) -> Outcome:
        self.sent.append(attempt)
        await asyncio.sleep(self.seconds)
        attempt.deliver(Chunk(b"{}"), asyncio.get_running_loop().time())
        return OK


def gateway(history: History, pipeline: Pipeline, **links: float) -> tuple[Gateway, dict[str, FakeLink]]:
    made = {name: FakeLink(seconds) for name, seconds in links.items()}
    return Gateway(pipeline, made, Recorder(history), seed=7), made


async def test_every_attempt_and_visit_is_in_the_history() -> None:
    history = History()
    gate, _ = gateway(history, Pipeline(picker=RoundRobin()), w0=1.0, w1=2.0)
    await asyncio.gather(*(gate.handle(Call(id=str(n))) for n in range(4)))
    attempts = list(history.of(Attempted))
    assert sorted(a.worker for a in attempts) == ["w0", "w0", "w1", "w1"]
    assert {a.kind for a in attempts} == {"ok"}
    assert all(a.first_token_s == pytest.approx(a.at_s) and a.tokens == 1 for a in attempts)
    assert {v.hop for v in history.of(Visit)} == {"gateway"}


async def test_a_timed_out_attempt_is_recorded_with_its_phase() -> None:
    history = History()
    gate, _ = gateway(history, Pipeline(timers=Timers(ttft_s=0.5)), w0=60.0)
    outcome = await gate.handle(Call(id="r"))
    assert (outcome.kind, outcome.phase) == (Kind.TIMEOUT, "first_token")
    (attempt,) = history.of(Attempted)
    assert (attempt.kind, attempt.phase, attempt.at_s) == ("timeout", "first_token", pytest.approx(0.5))


async def test_a_caller_that_leaves_ends_its_attempt_as_abandoned() -> None:
    history = History()
    gate, _ = gateway(history, Pipeline(), w0=60.0)
    task = asyncio.create_task(gate.handle(Call(id="r")))
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [a.kind for a in history.of(Attempted)] == ["abandoned"]
    assert gate.in_flight == 0


async def test_a_full_bulkhead_refuses_without_sending() -> None:
    history = History()
    gate, links = gateway(history, Pipeline(gates=(Bulkhead(max_in_flight=2),)), w0=60.0)
    held = [asyncio.create_task(gate.handle(Call(id=str(n)))) for n in range(2)]
    await asyncio.sleep(1.0)
    assert (await gate.handle(Call(id="third"))).kind is Kind.REJECTED
    assert len(links["w0"].sent) == 2
    gate.sample(1.0)
    assert list(history.of(Gauge))[-1].values == {"in_flight": 2, "pending.w0": 2}
    for task in held:
        task.cancel()
    await asyncio.wait(held)
    gate.sample(1.0)
    assert list(history.of(Gauge))[-1].values == {"in_flight": 0, "pending.w0": 0}
    assert list(history.of(Refused)) == []  # it was skipped by weight, not asked and refused


async def test_a_pinned_call_reaches_its_own_workers_only() -> None:
    history = History()
    gate, links = gateway(history, Pipeline(picker=RoundRobin()), w0=0.1, w1=0.1, w2=0.1)
    await asyncio.gather(*(gate.handle(Call(id=str(n), workers=frozenset({"w1", "w2"}))) for n in range(10)))
    assert (len(links["w0"].sent), len(links["w1"].sent), len(links["w2"].sent)) == (0, 5, 5)


async def test_a_call_draws_the_same_chance_whatever_the_others_draw() -> None:
    draws = []
    for others in (0, 5):
        gate, links = gateway(History(), Pipeline(), w0=0.1)
        for n in range(others):
            await gate.handle(Call(id=f"other-{n}"))
        await gate.handle(Call(id="mine"))
        draws.append(links["w0"].sent[-1].call.rng.random())
    assert draws[0] == draws[1]


class Asking(Picker):
    """Keeps the way to ask workers, and what they said."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.told: list[tuple[str, Load | None]] = []

    def bind(self, pool: Pool) -> None:
        self.pool = pool

    def ask(self, worker: str) -> None:
        self.pool.ask(worker, lambda load: self.told.append((worker, load)))


async def test_a_worker_is_asked_for_its_load_and_the_answer_comes_later() -> None:
    asking = Asking()
    gate, _ = gateway(History(), Pipeline(picker=asking), w0=1.0, w1=2.0)
    asking.ask("w1")
    asking.ask("w0")
    assert asking.told == []
    await asyncio.sleep(3)
    assert asking.told == [("w0", Load(in_flight=3, latency_s=1.0)), ("w1", Load(in_flight=3, latency_s=2.0))]
    await gate.close()


async def test_a_worker_that_owes_an_answer_is_not_asked_again() -> None:
    asking = Asking()
    gate, links = gateway(History(), Pipeline(picker=asking), w0=60.0, w1=0.5)
    for _ in range(20):
        asking.ask("w0")
        asking.ask("w1")
        await asyncio.sleep(1)
    assert (links["w0"].asked, links["w1"].asked) == (1, 20)
    await gate.close()


async def test_closing_leaves_no_question_behind() -> None:
    before = asyncio.all_tasks()
    asking = Asking()
    gate, _ = gateway(History(), Pipeline(picker=asking), w0=60.0, w1=60.0)
    asking.ask("w0")
    await asyncio.sleep(1)
    asking.ask("w1")  # which has not begun yet when it is given up
    await gate.close()
    assert asyncio.all_tasks() == before
    assert asking.told == []


# report 27: vllm-project/router#197
async def test_probes_and_health_checks_leave_the_counts_of_what_is_in_flight_alone() -> None:
    async with memory_stand(seats=8) as stand:
        picker = Hcl()
        gate = Gateway(Pipeline(picker=picker), {"worker-0": stand.link}, Recorder(History()), seed=7)
        calls = [Call(id=str(n), prompt_tokens=4, max_tokens=100) for n in range(8)]
        streams = [asyncio.create_task(gate.handle(call)) for call in calls]
        await asyncio.sleep(0.5)
        for _ in range(5):
            await stand.link.probe()
            load = await stand.link.load()
            assert load is not None
            assert load.in_flight == 8
            assert gate._bound.pending == {"worker-0": 8}
            assert stand.worker.counts.aborted == 0
        assert all(outcome.answered for outcome in await asyncio.gather(*streams))
        assert gate._bound.pending == {"worker-0": 0}
        await gate.close()


async def test_what_a_policy_raises_is_told_and_raised() -> None:
    class Broken(Picker):
        def pick(self, call, candidates):
            raise RuntimeError("no luck")

    gate, _ = gateway(History(), Pipeline(picker=Broken()), w0=1.0)
    told: list[Exception] = []
    gate.on_error = told.append
    with pytest.raises(RuntimeError, match="no luck"):
        await gate.handle(Call(id="c"))
    assert [str(error) for error in told] == ["no luck"]
    assert gate.in_flight == 0
