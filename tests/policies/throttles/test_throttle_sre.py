"""The throttle of the SRE book."""

import asyncio

import pytest

from policies.call import Call
from policies.outcome import OK, Kind, Outcome
from policies.throttles.throttle_sre import ThrottleSre, reject_ratio

FAILED = Outcome(kind=Kind.ERROR, status=500)


def counts(throttle):
    window = throttle._window
    return window.started, window.judged, window.accepted


@pytest.mark.parametrize(
    ("requests", "judged", "accepts", "k", "ratio"),
    [
        (0, 0, 0, 2, 0),
        (100, 100, 100, 2, 0),
        (100, 100, 50, 2, 0),  # the pool may see twice what it accepts
        (99, 99, 0, 2, 0.99),
        (199, 199, 50, 2, 99 / 200),
        (199, 199, 100, 1.1, 89 / 200),
        (99, 0, 0, 2, 0),  # all still out
        (99, 50, 0, 2, 0.5),
    ],
)
def test_the_share_to_refuse_is_the_formula(requests, judged, accepts, k, ratio):
    assert reject_ratio(requests, judged, accepts, k) == pytest.approx(ratio)


async def test_healthy_calls_pass_from_the_very_first_burst_on(backend, offer, refused_ratio):
    throttle = ThrottleSre()
    pool = backend(throttle)
    assert refused_ratio(await offer(throttle, pool, per_s=200, for_s=1)) == 0
    assert refused_ratio(await offer(throttle, pool, per_s=50, for_s=10)) == 0


async def test_up_to_half_may_fail_and_nothing_is_refused(backend, refused_ratio):
    throttle = ThrottleSre()
    pool = backend(throttle)
    outcomes = []
    for number in range(200):
        pool.ending = FAILED if number % 2 else OK
        outcomes.append(await throttle.run(Call(id="c", seed=str(number)), pool))
    assert refused_ratio(outcomes) == 0


async def test_a_pool_that_fails_every_call_is_asked_less_and_less(backend, offer, refused_ratio):
    throttle = ThrottleSre()
    pool = backend(throttle)
    pool.ending = FAILED
    await offer(throttle, pool, per_s=10, for_s=30)
    later = await offer(throttle, pool, per_s=10, for_s=30, purpose="later")
    assert refused_ratio(later) > 0.95
    refused = next(outcome for outcome in later if outcome.kind is Kind.REJECTED)
    assert (refused.phase, refused.by, refused.status) == ("admission", "throttle_sre", 503)
    assert refused.retry_after_s


async def test_a_pool_that_is_well_again_gets_its_calls_back(backend, offer, refused_ratio):
    throttle = ThrottleSre(window_s=10)
    pool = backend(throttle)
    pool.ending = FAILED
    await offer(throttle, pool, per_s=10, for_s=30)
    pool.ending = OK
    await offer(throttle, pool, per_s=10, for_s=90, purpose="recovery")
    assert refused_ratio(await offer(throttle, pool, per_s=10, for_s=10, purpose="after")) == 0


async def test_its_own_refusals_and_those_further_in_are_requests_that_were_not_accepted(backend):
    throttle = ThrottleSre(k=1)
    pool = backend(throttle)
    pool.ending = Outcome(kind=Kind.REJECTED, phase="admission", by="gateway", status=503)
    for number in range(30):
        await throttle.run(Call(id="c", seed=str(number)), pool)
    assert counts(throttle) == (30, 30, 0)
    assert pool.served < 30


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        (Kind.OK, 200, (1, 1, 1)),
        (Kind.SLOW, 200, (1, 1, 0)),
        (Kind.ERROR, 400, (1, 1, 1)),
        (Kind.ERROR, 500, (1, 1, 0)),
        (Kind.OVERLOAD, 429, (1, 1, 0)),
        (Kind.TIMEOUT, 504, (1, 1, 0)),
        (Kind.ABANDONED, 0, (0, 0, 0)),
    ],
)
async def test_what_an_ending_counts_for_is_the_table_of_evidence(backend, kind, status, expected):
    throttle = ThrottleSre()
    pool = backend(throttle)
    pool.ending = Outcome(kind=kind, status=status)
    await throttle.run(Call(id="c"), pool)
    assert counts(throttle) == expected


async def test_a_cancelled_call_is_as_if_it_had_not_been(backend):
    throttle = ThrottleSre(slow_ttft_s=0.2)
    for after_s in (0.1, 0.3):
        task = asyncio.create_task(throttle.run(Call(id="c"), backend(throttle)))
        await asyncio.sleep(after_s)
        task.cancel()
        await asyncio.wait([task])
        assert (task.cancelled(), counts(throttle)) == (True, (0, 0, 0))
    assert not throttle._silent


async def test_an_answer_whose_first_token_was_late_is_no_accept(backend):
    throttle = ThrottleSre(slow_ttft_s=1.0)
    pool = backend(throttle)
    pool.takes_s = 5.0
    pool.ttft_s = 0.9
    await throttle.run(Call(id="c"), pool)
    assert counts(throttle) == (1, 1, 1)
    pool.ttft_s = 1.1
    assert await throttle.run(Call(id="c"), pool) is OK
    assert counts(throttle) == (2, 2, 1)


async def test_without_a_bound_a_late_answer_is_an_accept(backend):
    throttle = ThrottleSre()
    pool = backend(throttle)
    pool.takes_s, pool.ttft_s = 60.0, 50.0
    await throttle.run(Call(id="c"), pool)
    assert counts(throttle) == (1, 1, 1)


async def test_an_answer_that_comes_whole_is_not_judged_by_its_first_token(backend):
    throttle = ThrottleSre(slow_ttft_s=1.0)
    pool = backend(throttle)
    pool.takes_s, pool.ttft_s = 5.0, 5.0
    await throttle.run(Call(id="c", stream=False), pool)
    assert counts(throttle) == (1, 1, 1)


async def test_silent_calls_count_against_the_pool_before_they_end(backend, offer):
    throttle = ThrottleSre(slow_ttft_s=1.0)
    pool = backend(throttle)
    pool.takes_s = 100.0
    tasks = [asyncio.create_task(throttle.run(Call(id=str(i)), pool)) for i in range(20)]
    await asyncio.sleep(1.5)
    more = [asyncio.create_task(throttle.run(Call(id="c", seed=str(i)), pool)) for i in range(20)]
    await asyncio.sleep(0)
    assert sum(task.done() for task in more) > 10
    for task in (*tasks, *more):
        task.cancel()
    await asyncio.wait([*tasks, *more])


async def test_an_attempt_of_a_fork_speaks_for_the_call(backend):
    throttle = ThrottleSre(slow_ttft_s=1.0)
    pool = backend(throttle)
    pool.takes_s, pool.ttft_s = 5.0, 0.5

    async def forks(call):
        return await pool(call.fork(lambda chunk: None))

    await throttle.run(Call(id="c"), forks)
    assert counts(throttle) == (1, 1, 1)


class Naive:
    """Requests counted when they start, accepts when they end, both over the same short window."""

    def __init__(self, window_s):
        self.window_s = window_s
        self.requests, self.accepts = [], []

    def reject_ratio(self, now):
        requests = sum(at > now - self.window_s for at in self.requests)
        accepts = sum(now - self.window_s < at <= now for at in self.accepts)
        return reject_ratio(requests, requests, accepts, 2)


# report 26: go-zero#5011
@pytest.mark.parametrize("window_s", [120.0, 10.0])
async def test_calls_far_longer_than_a_usual_window_are_not_refused_while_all_go_well(
    backend, offer, refused_ratio, window_s
):
    naive = Naive(10.0)
    naive.requests = [float(second) for second in range(60)]
    naive.accepts = [at + 60 for at in naive.requests]
    assert naive.reject_ratio(50.0) > 0.9

    throttle = ThrottleSre(window_s=window_s)
    pool = backend(throttle)
    pool.takes_s = 60.0
    assert refused_ratio(await offer(throttle, pool, per_s=1, for_s=300)) == 0


# report 26: go-zero#5011
@pytest.mark.parametrize("window_s", [120.0, 10.0])
async def test_failures_of_calls_far_longer_than_a_usual_window_are_not_lost(
    backend, offer, refused_ratio, window_s
):
    throttle = ThrottleSre(window_s=window_s)
    pool = backend(throttle)
    pool.takes_s, pool.ending = 60.0, FAILED
    outcomes = await offer(throttle, pool, per_s=1, for_s=400)
    assert refused_ratio(outcomes[:60]) == 0
    assert refused_ratio(outcomes[200:]) > 0.5
