"""Hot and cold with probes, in a pipeline on virtual time."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.outcome import OK, Kind, Outcome
from policies.pickers.hcl import AVERSE_S, Hcl
from policies.pipeline import Pipeline
from policies.pool import Load, Pool

WORKERS = ("w0", "w1", "w2", "w3")
ERROR = Outcome(kind=Kind.ERROR, status=500)


def now():
    return asyncio.get_running_loop().time()


@dataclass
class Workers:
    """Workers that take so long, and say so `probe_s` after they were asked."""

    seconds: dict = field(default_factory=lambda: dict.fromkeys(WORKERS, 0.5))
    probe_s: dict = field(default_factory=lambda: dict.fromkeys(WORKERS, 0.001))
    failing: set = field(default_factory=set)
    silent: set = field(default_factory=set)
    in_flight: Counter = field(default_factory=Counter)
    got: Counter = field(default_factory=Counter)
    asked: Counter = field(default_factory=Counter)

    async def send(self, attempt):
        worker = attempt.worker
        self.got[worker] += 1
        self.in_flight[worker] += 1
        try:
            await asyncio.sleep(0.001 if worker in self.failing else self.seconds[worker])
        finally:
            self.in_flight[worker] -= 1
        return ERROR if worker in self.failing else OK

    def ask(self, worker, tell):
        self.asked[worker] += 1
        if worker not in self.silent:
            latency_s = 0.001 if worker in self.failing else self.seconds[worker]
            load = Load(in_flight=self.in_flight[worker], latency_s=latency_s)
            asyncio.get_running_loop().call_later(self.probe_s[worker], tell, load)

    async def load(self, picker, rate_rps=20.0, seconds=60.0, **call):
        rng, tasks = random.Random(3), []
        bound = Pipeline(picker=picker).over(WORKERS, self.send, seed=1, ask=self.ask)
        start_s = now()
        while now() < start_s + seconds:
            await asyncio.sleep(rng.expovariate(rate_rps))
            tasks.append(asyncio.create_task(bound.run(Call(id="c", seed=str(len(tasks)), **call))))
        await asyncio.wait(tasks)
        assert bound.pending.total() == 0

    def share(self, worker="w0"):
        return self.got[worker] / self.got.total()


async def test_healthy_workers_all_get_a_share():
    workers = Workers()
    await workers.load(Hcl())
    assert all(0.15 < workers.share(worker) < 0.4 for worker in WORKERS)


async def test_a_slow_worker_gets_next_to_nothing():
    workers = Workers(seconds=dict.fromkeys(WORKERS, 0.5) | {"w0": 5.0})
    await workers.load(Hcl())
    assert workers.share() < 0.03


async def test_a_worker_behind_a_slow_link_is_not_taken_for_what_it_said_long_ago():
    workers = Workers(probe_s=dict.fromkeys(WORKERS, 0.001) | {"w0": 3.0})
    await workers.load(Hcl())
    assert workers.share() < 0.02


# report 18: linkerd2#11669
async def test_a_worker_that_fails_fast_is_not_taken_for_its_low_latency():
    workers = Workers(failing={"w0"})
    await workers.load(Hcl())
    assert workers.share() < 0.05


async def test_a_worker_that_answers_again_is_used_again():
    workers, picker = Workers(failing={"w0"}), Hcl()
    await workers.load(picker, seconds=20)
    workers.failing.clear()
    await workers.load(picker, seconds=2 * AVERSE_S)
    workers.got.clear()
    await workers.load(picker, seconds=20)
    assert workers.share() > 0.15


@pytest.mark.parametrize("ending", [Outcome(kind=Kind.ABANDONED), Outcome(kind=Kind.OVERLOAD, status=503)])
async def test_what_is_no_failure_makes_nobody_averse(ending):
    picker = Hcl()
    for _ in range(9):
        picker.attempt_ended(Attempt(call=Call(id="c"), worker="w0", number=1, started_s=0.0), ending, now())
    assert not picker._state.averse("w0", now())


async def test_one_failure_is_chance_and_two_in_a_row_are_not():
    picker = Hcl()

    def end(outcome):
        picker.attempt_ended(Attempt(call=Call(id="c"), worker="w0", number=1, started_s=0.0), outcome, now())
        return picker._state.averse("w0", now())

    assert [end(each) for each in (ERROR, OK, ERROR, ERROR, ERROR, OK)] == [0, 0, 0, 1, 1, 0]
    end(ERROR)
    end(ERROR)
    assert not picker._state.averse("w0", now() + AVERSE_S)


async def test_where_all_have_failed_one_is_taken_all_the_same():
    workers = Workers(failing=set(WORKERS))
    await workers.load(Hcl(), seconds=10)
    assert all(workers.got[worker] > 10 for worker in WORKERS)


@pytest.mark.parametrize("silent", [3, 4])
async def test_with_fewer_than_two_answers_the_worker_is_drawn(silent):
    workers = Workers(silent=set(WORKERS[:silent]))
    await workers.load(Hcl())
    assert all(0.2 < workers.share(worker) < 0.3 for worker in WORKERS)


async def test_each_pick_asks_as_many_workers_as_it_should_and_waits_for_none():
    workers = Workers(probe_s=dict.fromkeys(WORKERS, 0.9))
    picker = Hcl(probes_per_call=3)
    picker.bind(Pool(workers=WORKERS, ask=workers.ask))
    before_s = now()
    for number in range(100):
        candidates = Candidates.of([Candidate(worker, 1.0, 0) for worker in WORKERS])
        assert picker.pick(Call(id="c", seed=str(number)), candidates) is not None
    assert workers.asked.total() == 300
    assert all(60 < workers.asked[worker] < 90 for worker in WORKERS)
    assert now() == before_s


async def test_a_pick_looks_at_no_more_workers_than_there_are_answers():
    many = [f"w{n}" for n in range(5000)]
    picker, looked = Hcl(), []

    def look(worker):
        looked.append(worker)
        return Candidate(worker, 1.0, 0)

    def ask(worker, tell):
        tell(Load(in_flight=1, latency_s=0.5))

    picker.bind(Pool(workers=many, ask=ask))
    for _ in range(200):
        looked.clear()
        assert picker.pick(Call(id="c"), Candidates(many, look)) is not None
        assert len(looked) <= 16


async def test_a_call_bound_to_some_workers_is_sent_to_no_other():
    workers = Workers(seconds=dict.fromkeys(WORKERS, 0.5) | {"w3": 0.01})
    picker = Hcl()
    await workers.load(picker, seconds=5)
    workers.got.clear()
    await workers.load(picker, seconds=20, workers=frozenset({"w0", "w1"}))
    assert set(workers.got) == {"w0", "w1"}


async def test_a_shut_worker_is_not_picked_for_its_answer():
    picker = Hcl()
    picker.bind(Pool(workers=WORKERS, ask=lambda worker, tell: tell(Load(in_flight=0, latency_s=0.1))))
    for _ in range(200):
        shut = Candidates(WORKERS, lambda worker: Candidate(worker, 1.0, 0) if worker != "w0" else None)
        assert picker.pick(Call(id="c"), shut).worker != "w0"


async def test_the_same_seed_asks_and_picks_the_same():
    async def run():
        workers = Workers()
        await workers.load(Hcl(), seconds=10)
        return workers.got, workers.asked

    assert await run() == await run()


def fixed(*latencies_s):
    """Workers that answer their first question, with nothing in flight, and no other."""
    asked = Counter()

    def ask(worker, tell):
        asked[worker] += 1
        if asked[worker] == 1:
            tell(Load(in_flight=0, latency_s=latencies_s[WORKERS.index(worker)]))

    return Pool(workers=WORKERS[: len(latencies_s)], ask=ask)


def pick(picker, workers):
    return picker.pick(Call(id="c"), Candidates.of([Candidate(worker, 1.0, 0) for worker in workers])).worker


async def test_a_request_sent_to_a_worker_counts_until_a_newer_answer_does():
    picker, pool = Hcl(probes_per_call=4, remove_per_call=0), fixed(0.1, 0.2, 0.3)
    picker.bind(pool)
    pick(picker, pool.workers)
    assert [pick(picker, pool.workers) for _ in range(3)] == ["w0", "w1", "w2"]
    assert {pick(picker, pool.workers) for _ in range(3)} == {"w0", "w1", "w2"}


@pytest.mark.parametrize(("removed", "left"), [(0, [4, 4, 4, 4]), (1, [3, 2, 1, 1]), (2, [2, 0, 0, 0])])
async def test_each_choice_removes_as_many_answers_as_it_should(removed, left):
    picker, pool = Hcl(probes_per_call=4, remove_per_call=removed), fixed(0.1, 0.2, 0.3, 0.4)
    picker.bind(pool)
    pick(picker, pool.workers)
    seen = []
    for _ in range(4):
        pick(picker, pool.workers)
        seen.append(len(picker._state.probes.fresh(now())))
    assert seen == left


def test_more_removals_than_there_can_be_answers_are_refused():
    Hcl(remove_per_call=16)
    with pytest.raises(ValueError, match=r"^hcl: remove_per_call must be .* at most 16, got 17$"):
        Hcl(remove_per_call=17)
