"""The presets against a pool of simulated workers, one of them slow for half a minute, on virtual time."""

import asyncio
import random
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.presets import PRESETS
from policies.presets import sized as presets
from policies.presets.published import PUBLISHED

OURS = [name for name in PRESETS if name not in {preset.name for preset in PUBLISHED}]
WORKERS = ("w0", "w1", "w2", "w3")
SEATS, STEP_S, TOKENS, RATE = 8, 0.030, 16, 20.0
FAULT_S, HEAL_S, END_S = 20.0, 50.0, 70.0
HEALTHY_S = STEP_S * TOKENS


@dataclass
class Pool:
    """Workers with seats and a queue without bound; each step gives one token."""

    factor: dict = field(default_factory=dict)  # how many times slower a worker is
    dead: set = field(default_factory=set)
    hiccup_s: float = 0.0  # an occasional longer step
    rng: random.Random = field(default_factory=lambda: random.Random(9))
    seats: dict = field(default_factory=lambda: {w: asyncio.Semaphore(SEATS) for w in WORKERS})

    async def send(self, attempt):
        async with self.seats[attempt.worker]:
            for _ in range(TOKENS):
                if attempt.worker in self.dead:
                    return Outcome(kind=Kind.ERROR, cause="connection refused")
                await asyncio.sleep(self.step_s(attempt.worker))
                attempt.deliver(Chunk(b"x"), asyncio.get_running_loop().time())
        return OK

    def step_s(self, worker):
        extra_s = self.hiccup_s if self.rng.random() < 0.01 else 0.0
        return STEP_S * self.factor.get(worker, 1) + extra_s

    def heal(self):
        self.dead.clear()
        self.factor.clear()


@dataclass
class Seen:
    """What the callers saw and what the slow worker held."""

    calls: list = field(default_factory=list)  # (start, duration, outcome, worker)
    held: list = field(default_factory=list)  # (time, attempts in flight on w0)
    states: list = field(default_factory=list)  # (time, gates of w0)

    def between(self, start_s, end_s):
        return [call for call in self.calls if start_s <= call[0] < end_s]

    def ended(self, start_s, end_s, kind):
        return sum(outcome.kind is kind for *_, outcome, _ in self.between(start_s, end_s))

    def p99_elsewhere_s(self, start_s, end_s):
        durations = sorted(d for _, d, _, worker in self.between(start_s, end_s) if worker != "w0")
        return durations[len(durations) * 99 // 100]

    def held_at(self, when_s):
        return next(held for at_s, held in self.held if at_s >= when_s)


async def drive(preset, pool, workers=WORKERS, factor=None, until_s=END_S):
    """Open-loop Poisson load on a preset; w0 is slow, without a factor dead, from FAULT_S to HEAL_S."""
    loop, seen, rng, tasks = asyncio.get_running_loop(), Seen(), random.Random(4), []
    bound = PRESETS[preset].build(len(workers)).over(workers, pool.send)
    fault = (pool.dead.add, "w0") if factor is None else (pool.factor.update, {"w0": factor})
    loop.call_at(FAULT_S, *fault)
    loop.call_at(HEAL_S, pool.heal)

    async def one(number):
        start_s, call = loop.time(), Call(id=str(number), max_tokens=TOKENS, seed=str(number))
        outcome = await bound.run(call)
        seen.calls.append((start_s, loop.time() - start_s, outcome, call.last_worker))

    while loop.time() < until_s:
        tasks.append(asyncio.create_task(one(len(tasks))))
        await asyncio.sleep(rng.expovariate(RATE))
        seen.held.append((loop.time(), bound.pending["w0"]))
        seen.states.append((loop.time(), bound.describe(loop.time()).get("w0", "")))
    await asyncio.wait(tasks)
    assert bound.pending.total() == 0
    return seen


def test_the_bounds_lie_between_a_healthy_worker_and_one_five_times_slower():
    assert 3 * STEP_S < presets.SLOW_BETWEEN_TOKENS_S < 5 * STEP_S
    assert 0.1 * 3 < presets.SLOW_FIRST_TOKEN_S < presets.FIRST_TOKEN_S
    assert 3 * HEALTHY_S < presets.ATTEMPT_S < 5 * HEALTHY_S
    assert SEATS == presets.MAX_CONCURRENT_EACH


@pytest.mark.parametrize("preset", ["none", "libraries"])
async def test_without_a_bound_the_slow_worker_holds_more_and_more(preset):
    seen = await drive(preset, Pool(), factor=10)
    held = [seen.held_at(t) for t in (FAULT_S, 30.0, 40.0, HEAL_S - 1)]
    assert all(later > earlier + 20 for earlier, later in pairwise(held)), held


@pytest.mark.parametrize("factor", [5, 10, 30])
async def test_with_everything_the_slow_worker_holds_a_bounded_number_and_the_rest_goes_on(factor):
    seen = await drive("timeout_breaker_shed", Pool(), factor=factor)
    assert max(held for _, held in seen.held) <= presets.MAX_IN_FLIGHT
    assert seen.p99_elsewhere_s(FAULT_S, HEAL_S) == pytest.approx(HEALTHY_S, rel=0.05)
    assert max(duration for _, duration, *_ in seen.calls) <= presets.ATTEMPT_S + HEALTHY_S
    share = seen.ended(FAULT_S, HEAL_S, Kind.OK) / len(seen.between(FAULT_S, HEAL_S))
    assert share > 0.93
    assert seen.ended(FAULT_S, HEAL_S, Kind.REJECTED) == 0


async def test_timers_alone_bound_what_is_held_but_go_on_losing_every_call_sent_there():
    seen = await drive("timeout", Pool(), factor=10)
    assert max(held for _, held in seen.held) <= 20
    calls = len(seen.between(30.0, 45.0))
    assert seen.ended(30.0, 45.0, Kind.TIMEOUT) == pytest.approx(calls / 4, rel=0.1)


async def test_a_breaker_stops_losing_calls_once_it_is_open():
    seen = await drive("timeout_breaker", Pool(), factor=10)
    lost = seen.ended(FAULT_S, 30.0, Kind.TIMEOUT)
    probes = seen.ended(40.0, HEAL_S, Kind.TIMEOUT)
    assert lost > 5
    assert probes <= 2


@pytest.mark.parametrize("preset", ["timeout_breaker", "timeout_breaker_shed"])
async def test_a_healed_worker_is_back_in_its_turn_soon(preset):
    seen = await drive(preset, Pool(), factor=10)
    back_s = HEAL_S + presets.MAX_OPEN_S + presets.ATTEMPT_S
    assert all(state == "" for at_s, state in seen.states if at_s > back_s)
    served = [worker for *_, worker in seen.between(back_s, END_S)]
    assert served.count("w0") / len(served) == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(
    ("preset", "least", "most"), [("none", 0.2, 0.3), ("timeout_breaker_shed", 0.0, 0.04)]
)
async def test_a_dead_worker_costs_a_quarter_of_the_calls_and_little_with_a_breaker(preset, least, most):
    seen = await drive(preset, Pool())
    errors, calls = seen.ended(FAULT_S, HEAL_S, Kind.ERROR), len(seen.between(FAULT_S, HEAL_S))
    assert least < errors / calls < most


@pytest.mark.parametrize(
    ("preset", "workers"), [*((name, WORKERS) for name in OURS), ("timeout_breaker_shed", WORKERS[1:])]
)
async def test_on_healthy_workers_no_timer_fires_no_breaker_opens_and_nothing_is_refused(preset, workers):
    seen = await drive(preset, Pool(hiccup_s=0.3), workers=workers, factor=1, until_s=100.0)
    assert len(seen.calls) > 1900
    assert {outcome.kind for *_, outcome, _ in seen.calls} == {Kind.OK}
    assert not [state for _, state in seen.states if "breaker" in state]
