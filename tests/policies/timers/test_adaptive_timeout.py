"""A bound from the peers: close where they are quick, wide where nothing is known or all are slow."""

import asyncio

import pytest

from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.policy import FREE
from policies.timers.adaptive_timeout import AdaptiveTimeout
from policies.timers.timers import Timers

WORKERS = ("w0", "w1", "w2", "w3")
TIMED_OUT = Outcome(kind=Kind.TIMEOUT, phase="first_token")


def now():
    return asyncio.get_running_loop().time()


class Pool:
    """Workers whose first tokens take `firsts_s`, under an adaptive timeout."""

    def __init__(self, policy, firsts_s, timers=None, prompt_tokens=10):
        self.policy = policy
        self.firsts_s = firsts_s
        self.prompt_tokens = prompt_tokens
        self.bounds_s = {}
        self.endings = {}
        pipeline = Pipeline(gates=(policy,), picker=RoundRobin(), timers=timers or Timers())
        self.bound = pipeline.over(list(firsts_s), self.answer)

    async def answer(self, attempt):
        self.bounds_s[attempt.worker] = attempt.ttft_s
        await asyncio.sleep(self.firsts_s[attempt.worker])
        attempt.deliver(Chunk(b"x"), now())
        await asyncio.sleep(0.1)
        return OK

    async def ask(self, calls, gap_s=0.05, **call):
        """So many calls, one after another begun."""
        tasks = []
        for _ in range(calls):
            tasks.append(asyncio.create_task(self._one(call)))
            await asyncio.sleep(gap_s)
        await asyncio.wait(tasks)

    async def _one(self, fields):
        call = Call(id="c", prompt_tokens=self.prompt_tokens, **fields)
        outcome = await self.bound.run(call)
        self.endings.setdefault(call.last_worker, []).append((outcome.kind, outcome.phase))


def slow_one(first_s):
    return {worker: first_s if worker == "w0" else 0.5 for worker in WORKERS}


@pytest.mark.parametrize(
    ("elsewhere_s", "expected_s"), [(None, 60.0), (0.1, 1.0), (1.0, 3.0), (19.0, 57.0), (1000.0, 60.0)]
)
def test_the_bound_is_k_times_what_the_peers_need_within_its_limits(elsewhere_s, expected_s):
    assert AdaptiveTimeout().bound_s(elsewhere_s) == pytest.approx(expected_s)


async def test_without_enough_samples_of_others_the_bound_is_the_highest(make_attempt):
    policy = AdaptiveTimeout(min_samples=20)
    pool = Pool(policy, slow_one(0.5))
    await pool.ask(20)
    attempt = make_attempt(prompt_tokens=10, started_s=now())
    assert policy.enter(attempt) is FREE
    assert attempt.ttft_s == 60.0
    await pool.ask(20)
    assert set(pool.bounds_s.values()) == {60.0}, "the count is taken once a second"
    await asyncio.sleep(1)
    await pool.ask(4)
    assert list(pool.bounds_s.values()) == pytest.approx([1.5] * 4)


async def test_a_slow_worker_is_cut_off_at_a_multiple_of_its_peers_and_cannot_talk_its_bound_up():
    pool = Pool(AdaptiveTimeout(), slow_one(0.5))
    await pool.ask(100)
    pool.firsts_s["w0"] = 10.0
    pool.endings.clear()
    await asyncio.sleep(1)
    await pool.ask(2000)
    assert set(pool.endings["w0"]) == {(Kind.TIMEOUT, "first_token")}
    assert list(pool.bounds_s.values()) == pytest.approx([1.5] * 4)
    for worker in WORKERS[1:]:
        assert set(pool.endings[worker]) == {(Kind.OK, "")}


async def test_where_all_are_slow_all_bounds_rise():
    pool = Pool(AdaptiveTimeout(window_s=10), dict.fromkeys(WORKERS, 0.5))
    await pool.ask(100)
    pool.firsts_s = dict.fromkeys(WORKERS, 5.0)
    await pool.ask(2000)
    pool.endings.clear()
    await pool.ask(100)
    assert min(pool.bounds_s.values()) > 5.0
    assert {ending for endings in pool.endings.values() for ending in endings} == {(Kind.OK, "")}


async def test_the_closest_bound_counts_whoever_set_it(make_attempt):
    pool = Pool(AdaptiveTimeout(hi_s=60), dict.fromkeys(WORKERS, 3.0), Timers(ttft_s=2))
    await pool.ask(4)
    assert {ending for endings in pool.endings.values() for ending in endings} == {
        (Kind.TIMEOUT, "first_token")
    }
    attempt = make_attempt()
    attempt.ttft_s = 0.2
    AdaptiveTimeout().enter(attempt)
    assert attempt.ttft_s == 0.2


async def test_calls_that_do_not_stream_have_no_first_token_to_bound_or_to_learn_from():
    pool = Pool(AdaptiveTimeout(), dict.fromkeys(WORKERS, 0.1))
    await pool.ask(200, stream=False)
    assert set(pool.bounds_s.values()) == {float("inf")}
    await asyncio.sleep(1)
    await pool.ask(4)
    assert set(pool.bounds_s.values()) == {60.0}


@pytest.mark.parametrize(
    ("outcome", "learns"),
    [
        (TIMED_OUT, True),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), True),
        (Outcome(kind=Kind.ERROR, status=500), False),
        (Outcome(kind=Kind.OVERLOAD, status=429), False),
        (Outcome(kind=Kind.ABANDONED), False),
    ],
    ids=lambda value: f"{value.kind} {value.phase}" if isinstance(value, Outcome) else "",
)
def test_an_attempt_without_a_first_token_teaches_what_the_table_says(make_attempt, outcome, learns):
    policy = AdaptiveTimeout()
    for tick in range(30):
        policy.attempt_ended(make_attempt("w1", started_s=tick * 0.01), outcome, 5.0 + tick * 0.01)
    attempt = make_attempt("w0", started_s=7.0)
    policy.enter(attempt)
    assert attempt.ttft_s == (pytest.approx(15.0) if learns else 60.0)


def test_an_abandoned_attempt_is_a_lower_bound_once_it_outlasted_its_peers(make_attempt):
    policy = AdaptiveTimeout()
    for tick in range(30):
        for worker in WORKERS:
            attempt = make_attempt(worker, started_s=tick * 0.01)
            attempt.first_token_s = attempt.started_s + 1.0
            policy.first_token(attempt)
    before = policy._seen.elsewhere_s("w1", 0, 0.95, 2.0)
    left = Outcome(kind=Kind.ABANDONED)
    for age_s in [0.5] * 64:
        policy.attempt_ended(make_attempt("w0", started_s=2.0), left, 2.0 + age_s)
    assert policy._seen.elsewhere_s("w1", 0, 0.95, 4.0) == before
    for worker in ("w0", "w2"):
        for _ in range(64):
            policy.attempt_ended(make_attempt(worker, started_s=2.0), left, 7.0)
    assert policy._seen.elsewhere_s("w1", 0, 0.95, 8.0) == pytest.approx(5.0)


def test_the_highest_bound_is_not_below_the_lowest():
    with pytest.raises(ValueError, match="adaptive_timeout: hi_s must be a number at least 5, got 4"):
        AdaptiveTimeout(lo_s=5, hi_s=4)


@pytest.mark.parametrize(("stream", "first_token_s"), [(True, 0.2), (False, None)])
def test_a_first_token_that_came_and_one_that_was_never_asked_for_leave_no_lower_bound(
    make_attempt, stream, first_token_s
):
    policy = AdaptiveTimeout()
    gap = Outcome(kind=Kind.TIMEOUT, phase="between_tokens")
    for _ in range(100):
        attempt = make_attempt("w1", stream=stream)
        attempt.first_token_s = first_token_s
        policy.attempt_ended(attempt, gap, 9.0)
    assert policy._seen.elsewhere_s("w0", 0, 0.95, 12.0) is None
