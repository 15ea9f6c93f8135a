"""A late call goes to a second worker as well; the first content token wins and the loser is given up."""

import asyncio
from dataclasses import dataclass, field

import pytest

from policies.assembly import amplification, assemble
from policies.call import Budget, Call, Chunk
from policies.notation import parse
from policies.outcome import OK, Kind, Outcome
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.policy import Gate, Observer, Picker
from policies.registry import POLICIES, make
from policies.retries.hedge import Hedge
from policies.retries.retry import Retry
from policies.retries.retry_budget import RetryBudget
from policies.timers.deadline import Deadline
from policies.timers.timers import Timers

WORKERS = ("w0", "w1", "w2")
FAILED = Outcome(kind=Kind.ERROR, status=500)
REFUSED = Outcome(kind=Kind.ERROR, status=400)


def now():
    return asyncio.get_running_loop().time()


@dataclass
class Ear(Observer):
    """When attempts began and how they ended, by worker."""

    began: list = field(default_factory=list)
    ended: dict = field(default_factory=dict)

    def attempt_started(self, attempt):
        self.began.append((attempt.worker, attempt.started_s))

    def attempt_ended(self, attempt, outcome, now):
        self.ended[attempt.worker] = (outcome.kind, now)


class Servers:
    """Each worker waits, says its role, waits, says two tokens, and ends as told."""

    def __init__(self, **answers):
        self.answers = answers

    async def __call__(self, attempt):
        role_s, token_s, ending = self.answers[attempt.worker]
        await asyncio.sleep(role_s)
        attempt.deliver(Chunk(f"{attempt.worker} role".encode(), tokens=0), now())
        await asyncio.sleep(token_s - role_s)
        attempt.call.served_by = attempt.worker
        if ending.answered:
            for n in (1, 2):
                attempt.deliver(Chunk(f"{attempt.worker} {n}".encode()), now())
                await asyncio.sleep(1)
        return ending


class Asked:
    """A call through hedging, the answer that its caller got, and what was heard."""

    def __init__(self, servers, hedge=None, *layers, picker=None, timers=None, **call):
        self.ear, self.read = Ear(), []
        self.call = Call(id="c", sink=lambda chunk: self.read.append(chunk.data.decode()), **call)
        self.bound = Pipeline(
            layers=(*layers, hedge or Hedge(delay_s=2)), picker=picker or Picker(), timers=timers or Timers()
        ).over(tuple(servers.answers), servers, self.ear)

    async def run(self):
        before = asyncio.all_tasks()
        try:
            return await self.bound.run(self.call)
        finally:
            assert asyncio.all_tasks() == before, "a racer was left behind"
            assert self.bound.pending.total() == 0


NEVER = (1e6, 1e6, OK)


async def test_a_call_that_is_answered_in_time_makes_one_attempt():
    asked = Asked(Servers(w0=(0.5, 1, OK), w1=NEVER))
    assert await asked.run() is OK
    assert (asked.call.attempts, asked.read, now()) == (1, ["w0 role", "w0 1", "w0 2"], 3)


async def test_the_first_content_token_wins_and_the_loser_is_given_up_in_that_instant():
    asked = Asked(Servers(w0=(1, 10, OK), w1=(1, 3, OK)))
    assert await asked.run() is OK
    assert asked.read == ["w1 role", "w1 1", "w1 2"]
    assert asked.ear.began == [("w0", 0), ("w1", 2)]
    assert asked.ear.ended == {"w0": (Kind.ABANDONED, 5), "w1": (Kind.OK, 7)}
    assert (asked.call.committed, asked.call.served_by) == (True, "w1")


async def test_headers_and_role_are_no_win():
    """The hedge says its role first, the first attempt its content."""
    asked = Asked(Servers(w0=(3.5, 4, OK), w1=(0.1, 3, OK)))
    await asked.run()
    assert asked.read == ["w0 role", "w0 1", "w0 2"]
    assert asked.ear.ended["w1"] == (Kind.ABANDONED, 4)


async def test_a_loser_says_nothing_even_if_its_token_comes_in_the_instant_of_the_win():
    asked = Asked(Servers(w0=(0, 3, OK), w1=(0, 1, OK)))
    assert await asked.run() is OK
    assert asked.read[0].endswith("role")
    assert len({said.split()[0] for said in asked.read}) == 1
    assert len(asked.read) == 3


async def test_what_a_loser_still_says_before_it_hears_of_its_loss_is_dropped():
    """As from a transport that hands pieces over from a callback: both in one turn of the loop."""
    waiting = []

    async def hand_over(attempt):
        waiting.append(attempt)
        if len(waiting) == 2:
            asyncio.get_running_loop().call_later(1, say)
        await asyncio.sleep(3)
        return OK

    def say():
        for attempt in (*waiting, *waiting):
            attempt.deliver(Chunk(attempt.worker.encode()), now())

    read = []
    call = Call(id="c", sink=lambda chunk: read.append(chunk.data))
    assert await Pipeline(layers=(Hedge(delay_s=2),)).over(WORKERS, hand_over).run(call) is OK
    assert read == [b"w0", b"w0"]


async def test_each_further_hedge_waits_as_long_and_goes_to_a_worker_of_its_own():
    asked = Asked(Servers(w0=NEVER, w1=NEVER, w2=(0, 1, OK)), Hedge(delay_s=2, max_hedges=5))
    await asked.run()
    assert asked.ear.began == [("w0", 0), ("w1", 2), ("w2", 4)]


async def test_there_are_no_more_hedges_than_allowed():
    asked = Asked(Servers(w0=(0, 9, OK), w1=NEVER, w2=NEVER), Hedge(delay_s=2, max_hedges=1))
    await asked.run()
    assert [worker for worker, _ in asked.ear.began] == ["w0", "w1"]


async def test_no_delay_at_all_sends_both_at_once():
    asked = Asked(Servers(w0=NEVER, w1=(0, 1, OK)), Hedge(delay_s=0))
    await asked.run()
    assert asked.ear.began == [("w0", 0), ("w1", 0)]


# gRPC proposal A6: a failure that is not fatal triggers the next hedge immediately
@pytest.mark.parametrize("failure", [FAILED, Outcome(kind=Kind.OVERLOAD, status=503)])
async def test_a_failure_fires_the_next_at_once(failure):
    asked = Asked(Servers(w0=(0, 0.5, failure), w1=(0, 1, OK)))
    assert await asked.run() is OK
    assert asked.ear.began == [("w0", 0), ("w1", 0.5)]
    assert asked.read == ["w1 role", "w1 1", "w1 2"]


async def test_after_a_failure_the_delay_begins_anew():
    asked = Asked(Servers(w0=(0, 0.5, FAILED), w1=NEVER, w2=(0, 1, OK)), Hedge(delay_s=2, max_hedges=2))
    await asked.run()
    assert asked.ear.began == [("w0", 0), ("w1", 0.5), ("w2", 2.5)]


async def test_a_failure_that_no_other_attempt_could_mend_ends_the_race():
    asked = Asked(Servers(w0=(0, 3, REFUSED), w1=NEVER))
    assert await asked.run() is REFUSED
    assert asked.ear.ended == {"w0": (Kind.ERROR, 3), "w1": (Kind.ABANDONED, 3)}


async def test_when_all_fail_the_last_failure_stands():
    last = Outcome(kind=Kind.ERROR, status=502)
    asked = Asked(Servers(w0=(0, 4, last), w1=(0, 1, FAILED)))
    assert await asked.run() is last
    assert (asked.read, asked.call.committed, now()) == ([], False, 4)


async def test_a_hedge_that_finds_no_worker_of_its_own_changes_nothing():
    asked = Asked(Servers(w0=(0, 3, OK)))
    assert await asked.run() is OK
    assert asked.call.attempts == 1
    asked = Asked(Servers(w0=(0, 1, FAILED)))
    assert await asked.run() is FAILED


async def test_a_call_that_no_worker_takes_is_rejected_as_without_hedging():
    class Shut(Gate):
        def weight(self, worker, now):
            return 0.0

    bound = Pipeline(layers=(Hedge(delay_s=2),), gates=(Shut(),)).over(WORKERS, Servers())
    assert (await bound.run(Call(id="c"))).kind is Kind.REJECTED
    assert now() == 0


# report 23: livekit/agents#1298
async def test_a_winner_that_breaks_off_is_the_ending_and_nothing_is_tried_again():
    async def break_off(attempt):
        await asyncio.sleep(3)
        attempt.deliver(Chunk(b"x"), now())
        await asyncio.sleep(1)
        return FAILED

    read, call = [], Call(id="c")
    call.sink = read.append
    layers = (Retry(max_attempts=3), Hedge(delay_s=2, max_hedges=2, stacked=True))
    assert await Pipeline(layers=layers).over(WORKERS, break_off).run(call) is FAILED
    assert (call.attempts, len(read), now()) == (2, 1, 4)


async def test_an_answer_that_does_not_stream_wins_when_it_is_whole():
    async def whole(attempt):
        first_s, whole_s = {"w0": (1, 9), "w1": (2, 3)}[attempt.worker]
        await asyncio.sleep(first_s)
        attempt.deliver(Chunk(attempt.worker.encode(), tokens=8), now())
        await asyncio.sleep(whole_s - first_s)
        return OK

    read = []
    call = Call(id="c", stream=False, sink=lambda chunk: read.append(chunk.data))
    await Pipeline(layers=(Hedge(delay_s=0.5),)).over(WORKERS, whole).run(call)
    assert (read, now()) == ([b"w1"], 3.5)


async def test_an_answer_without_a_single_token_wins_when_it_ends():
    async def empty(attempt):
        await asyncio.sleep(9 if attempt.worker == "w0" else 1)
        attempt.deliver(Chunk(b"role", tokens=0), now())
        return OK

    read = []
    call = Call(id="c", sink=lambda chunk: read.append(chunk.data))
    assert await Pipeline(layers=(Hedge(delay_s=2),)).over(WORKERS, empty).run(call) is OK
    assert (read, call.committed, now()) == ([b"role"], False, 3)


@pytest.mark.parametrize("left_s", [1, 3, 5.5])
async def test_a_caller_who_leaves_takes_every_racer_along_in_that_instant(left_s):
    asked = Asked(Servers(w0=NEVER, w1=(0, 3, OK)))
    task = asyncio.create_task(asked.run())
    await asyncio.sleep(left_s)
    task.cancel()
    await asyncio.wait([task])
    assert (task.cancelled(), now()) == (True, left_s)
    assert {kind for kind, _ in asked.ear.ended.values()} == {Kind.ABANDONED}


async def test_a_deadline_ends_the_race_as_a_timeout_of_every_racer():
    asked = Asked(Servers(w0=NEVER, w1=NEVER), None, Deadline(total_s=5))
    assert (await asked.run()).phase == "total"
    assert set(asked.ear.ended.values()) == {(Kind.TIMEOUT, 5)}


async def test_a_bug_further_in_is_not_hidden_and_ends_the_race():
    async def broken(attempt):
        await asyncio.sleep(3 if attempt.worker == "w0" else 100)
        raise KeyError("bug")

    before = asyncio.all_tasks()
    with pytest.raises(KeyError):
        await Pipeline(layers=(Hedge(delay_s=2),)).over(WORKERS, broken).run(Call(id="c"))
    assert (asyncio.all_tasks(), now()) == (before, 3)


class NoBudget(Budget):
    def take(self, now):
        return False


async def test_without_budget_there_is_no_hedge():
    asked = Asked(Servers(w0=(0, 9, OK), w1=(0, 0, OK)), budget=NoBudget())
    await asked.run()
    assert asked.call.attempts == 1


@pytest.mark.parametrize(("in_flight", "attempts"), [(4, 2), (5, 1)])
async def test_a_pool_that_is_busy_beyond_the_bound_is_not_hedged_into(in_flight, attempts):
    """Two workers that serve 4 each: half of that is allowed, this call included."""
    servers = Servers(w0=(0, 9, OK), w1=(0, 9, OK))
    hedge = Hedge(delay_s=2, max_utilization_ratio=0.5, worker_capacity=4)
    asked = Asked(servers, hedge, picker=RoundRobin())
    others = [
        asyncio.create_task(asked.bound.run(Call(id="o", budget=NoBudget()))) for _ in range(in_flight - 1)
    ]
    await asked.bound.run(asked.call)
    assert asked.call.attempts == attempts
    await asyncio.gather(*others)
    assert asked.bound.pipeline.layers[0]._used.taken == 0


class Told:
    """First tokens after a time that is said of each worker."""

    def __init__(self, **first_s):
        self.first_s = first_s

    async def __call__(self, attempt):
        await asyncio.sleep(self.first_s[attempt.worker])
        attempt.deliver(Chunk(b"x"), now())
        return OK


async def attempts_of_calls(bound, times, **call):
    made = []
    for _ in range(times):
        one = Call(id="c", **call)
        await bound.run(one)
        made.append(one.attempts)
    return made


async def test_the_delay_is_what_the_peers_of_the_first_worker_take_and_not_what_it_takes_itself():
    servers = Told(w0=0.2, w1=0.2, w2=0.2)
    bound = Pipeline(layers=(Hedge(),), picker=RoundRobin()).over(WORKERS, servers)
    await attempts_of_calls(bound, 60, budget=NoBudget())
    servers.first_s = {"w0": 0.1, "w1": 5.0, "w2": 0.1}
    began_s = now()
    assert sorted(await attempts_of_calls(bound, 3)) == [1, 1, 2]
    assert now() - began_s == pytest.approx(0.1 + (0.2 + 0.1) + 0.1), "late after 0.2 s"


async def test_before_enough_is_known_nothing_is_hedged_by_time():
    servers = Told(w0=5.0, w1=0.1)
    bound = Pipeline(layers=(Hedge(min_samples=20),)).over(("w0", "w1"), servers)
    await attempts_of_calls(bound, 19, workers=frozenset({"w1"}))
    assert await attempts_of_calls(bound, 3) == [1, 1, 1], "its own do not count"
    await attempts_of_calls(bound, 1, workers=frozenset({"w1"}))
    await asyncio.sleep(1)  # what is known is counted once a second
    assert await attempts_of_calls(bound, 1) == [2]


async def test_a_long_prompt_is_not_late_by_the_measure_of_short_ones():
    servers = Told(w0=0.1, w1=0.1)
    bound = Pipeline(layers=(Hedge(),), picker=RoundRobin()).over(("w0", "w1"), servers)
    await attempts_of_calls(bound, 60, prompt_tokens=10)
    servers.first_s.update(w0=3.0, w1=3.0)
    assert await attempts_of_calls(bound, 2, prompt_tokens=4000) == [1, 1]


async def test_whole_answers_are_no_measure_of_first_tokens():
    servers = Told(w0=0.1, w1=0.1)
    bound = Pipeline(layers=(Hedge(),), picker=RoundRobin()).over(("w0", "w1"), servers)
    await attempts_of_calls(bound, 60, prompt_tokens=8, max_tokens=8)
    servers.first_s.update(w0=3.0, w1=3.0)
    assert await attempts_of_calls(bound, 2, prompt_tokens=8, max_tokens=8, stream=False) == [1, 1]


class Prefers(Picker):
    """`w1`, if it may."""

    def pick(self, call, candidates):
        return candidates.look("w1") or super().pick(call, candidates)


# report 12: grpc-java#12834
# report 12: grpc-java#13001
@pytest.mark.parametrize("name", [name for name, policy in POLICIES.items() if issubclass(policy, Gate)])
async def test_a_hundred_hedge_losers_leave_every_judgement_of_their_worker_as_it_was(name):
    gate, ear = make(name), Ear()
    hedge = Hedge(delay_s=0.02)
    bound = Pipeline(layers=(hedge,), gates=(gate,), picker=Prefers()).over(
        ("w0", "w1"), Told(w0=0.05, w1=0.09), ear
    )
    for _ in range(100):
        await bound.run(Call(id="c"))
    assert ear.ended["w1"][0] is Kind.ABANDONED
    assert len(ear.began) == 200
    assert gate.weight("w1", now()) == 1
    assert gate.describe("w1", now()) == ""


# report 12: grpc-java#12834
def test_a_hundred_hedge_losers_leave_no_trace_in_the_delay_of_later_hedges(make_attempt, give_tokens):
    hedge = Hedge(min_samples=1)
    answered = make_attempt("w0")
    give_tokens(answered, 0.1, 0.1, 1)
    hedge.first_token(answered)
    before = hedge._delay.after_s(make_attempt("w2"), 1.0)
    for _ in range(100):
        hedge.attempt_ended(make_attempt("w1"), Outcome(kind=Kind.ABANDONED), 5.0)
    assert hedge._delay.after_s(make_attempt("w2"), 5.0) == before == pytest.approx(0.1)


def test_it_brings_a_budget_without_free_hedges():
    layers = assemble(parse("hedge()")).layers
    assert layers == (RetryBudget(ratio=0.05, min_per_sec=0.0), Hedge())
    assert assemble(parse("hedge(budget=none)")).layers == (Hedge(budget_ratio=None),)


# report 20: nanobot#2760
async def test_hedges_below_retries_come_to_the_product_that_was_predicted():
    async def fail(attempt):
        return FAILED

    with pytest.raises(ValueError, match=r"3 x 2 = 6.*hedge\(stacked=true\)"):
        assemble(parse("retry(max_attempts=3) | hedge()"))
    pipeline = assemble(parse("retry(max_attempts=3, other_worker=false) | hedge(stacked=true, budget=none)"))
    workers = [f"w{number}" for number in range(6)]
    call = Call(id="c")
    await pipeline.over(workers, fail).run(call)
    assert call.attempts == amplification(pipeline.drivers) == 6


@pytest.mark.parametrize("delay_s", [2, None])
async def test_retries_below_hedges_leave_the_delay_where_it_was(delay_s, make_attempt, give_tokens):
    hedge = Hedge(delay_s=delay_s, min_samples=1)
    elsewhere = make_attempt("w9")
    give_tokens(elsewhere, 2, 1, 1)
    hedge.first_token(elsewhere)
    servers = Servers(w0=(0, 1.5, FAILED), w1=(0, 1.5, FAILED), w2=(0, 1, OK))
    layers = (hedge, Retry(max_attempts=2, initial_s=0, stacked=True))
    ear = Ear()
    await Pipeline(layers=layers).over(WORKERS, servers, ear).run(Call(id="c"))
    assert ear.began == [("w0", 0), ("w1", 1.5), ("w2", 2)]
