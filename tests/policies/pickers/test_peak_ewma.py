"""Peak EWMA in a pipeline, on virtual time."""

import asyncio
import random
from collections import Counter

import pytest

from policies.call import Attempt, Call, Chunk
from policies.candidates import Candidate, Candidates
from policies.outcome import OK, Kind, Outcome
from policies.pickers.peak_ewma import PeakEwma
from policies.pipeline import Pipeline

WORKERS = ("w0", "w1", "w2", "w3")
ERROR = Outcome(kind=Kind.ERROR, status=500)


def now():
    return asyncio.get_running_loop().time()


def candidates(*pending):
    return Candidates.of([Candidate(f"w{i}", 1.0, number) for i, number in enumerate(pending)])


async def load(picker, send, rate_rps=20.0, seconds=60.0):
    """Random arrivals; how many attempts each worker got."""
    got, rng, tasks = Counter(), random.Random(3), []

    async def counted(attempt):
        got[attempt.worker] += 1
        return await send(attempt)

    bound = Pipeline(picker=picker).over(WORKERS, counted)
    while now() < seconds:
        await asyncio.sleep(rng.expovariate(rate_rps))
        tasks.append(asyncio.create_task(bound.run(Call(id="c", seed=str(len(tasks))))))
    await asyncio.wait(tasks)
    assert bound.pending.total() == 0
    return got


async def answer(attempt, first_s=0.05, rest_s=0.45):
    await asyncio.sleep(first_s)
    attempt.deliver(Chunk(b""), now())
    await asyncio.sleep(rest_s)
    return OK


def share(got):
    return got["w0"] / got.total()


async def fails_fast(attempt):
    if attempt.worker != "w0":
        return await answer(attempt)
    await asyncio.sleep(0.001)
    return ERROR


# report 18: linkerd2#11669
@pytest.mark.parametrize("metric", ["ttft", "e2e"])
async def test_a_worker_that_fails_within_a_millisecond_is_not_flooded(metric):
    assert share(await load(PeakEwma(metric=metric), fails_fast)) < 0.05


# report 18: linkerd2#11669
@pytest.mark.parametrize("metric", ["ttft", "e2e"])
async def test_without_a_penalty_it_is(metric):
    assert share(await load(PeakEwma(penalty_s=0, metric=metric), fails_fast)) > 0.4


@pytest.mark.parametrize("metric", ["ttft", "e2e"])
async def test_healthy_workers_get_about_the_same(metric):
    got = await load(PeakEwma(metric=metric), answer)
    assert all(0.2 < got[worker] / got.total() < 0.3 for worker in WORKERS)


async def test_a_slow_worker_gets_little_and_its_share_again_once_it_has_healed():
    async def slow_for_a_minute(attempt):
        factor = 10 if attempt.worker == "w0" and now() < 60 else 1
        return await answer(attempt, 0.05 * factor, 0.45 * factor)

    picker = PeakEwma()
    assert share(await load(picker, slow_for_a_minute)) < 0.05
    start_s = now()
    await load(picker, slow_for_a_minute, seconds=start_s + 30)
    assert share(await load(picker, slow_for_a_minute, seconds=start_s + 60)) > 0.15


async def test_a_slow_first_token_is_evidence_before_it_comes():
    picker = PeakEwma(choices=4)
    for worker in WORKERS:
        await learned(picker, worker, 0.05)
    picker.attempt_started(Attempt(call=Call(id="c"), worker="w0", number=1, started_s=now()))
    assert picker.score(Candidate("w0", 1.0, 1), now()) == pytest.approx(0.1, rel=0.01)
    await asyncio.sleep(2)
    assert picker.score(Candidate("w0", 1.0, 1), now()) == pytest.approx(4.0)
    assert picker.pick(Call(id="c"), candidates(0, 9, 9, 9)).worker != "w0"


async def test_while_an_answer_streams_its_age_is_no_sign_of_a_slow_first_token():
    for metric, expected_s in (("ttft", 0.05), ("e2e", 9.05)):
        picker = PeakEwma(metric=metric)
        attempt = Attempt(call=Call(id="c"), worker="w0", number=1, started_s=now())
        attempt.on_first_token = picker.first_token
        picker.attempt_started(attempt)
        await asyncio.sleep(0.05)
        attempt.deliver(Chunk(b""), now())
        await asyncio.sleep(9)
        assert cost_s(picker) == pytest.approx(expected_s)


async def learned(picker, worker, seconds, outcome=OK, first_token=True):
    attempt = Attempt(call=Call(id="c"), worker=worker, number=1, started_s=now())
    attempt.on_first_token = picker.first_token
    picker.attempt_started(attempt)
    await asyncio.sleep(seconds)
    if first_token:
        attempt.deliver(Chunk(b""), now())
    picker.attempt_ended(attempt, outcome, now())


def cost_s(picker, worker="w0"):
    return picker.score(Candidate(worker, 1.0, 0), now())


@pytest.mark.parametrize(
    ("outcome", "expected_s"),
    [
        (ERROR, 10.0),
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), 2.0),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), 2.0),
        (Outcome(kind=Kind.ABANDONED), 2.0),
        (Outcome(kind=Kind.OVERLOAD, status=503), 0.05),
        (Outcome(kind=Kind.ERROR, status=400), 0.05),
    ],
    ids=lambda value: f"{value.kind}-{value.phase or value.status}" if isinstance(value, Outcome) else "",
)
async def test_an_ending_without_a_first_token_teaches_what_the_table_says(outcome, expected_s):
    picker = PeakEwma()
    for _ in range(3):
        await learned(picker, "w0", 0.05)
        await learned(picker, "w1", 0.05)
    await learned(picker, "w0", 2.0, outcome, first_token=False)
    assert cost_s(picker) == pytest.approx(expected_s, rel=0.01)


async def test_a_hedge_that_lost_at_once_says_nothing():
    picker = PeakEwma()
    await learned(picker, "w0", 0.05)
    await learned(picker, "w0", 0.01, Outcome(kind=Kind.ABANDONED), first_token=False)
    assert cost_s(picker) == pytest.approx(0.05)


@pytest.mark.parametrize("phase", ["between_tokens", "attempt"])
async def test_an_answer_that_stalls_after_its_first_token_counts_with_its_age(phase):
    picker = PeakEwma()
    attempt = Attempt(call=Call(id="c"), worker="w0", number=1, started_s=now())
    attempt.on_first_token = picker.first_token
    picker.attempt_started(attempt)
    await asyncio.sleep(0.05)
    attempt.deliver(Chunk(b""), now())
    await asyncio.sleep(5)
    picker.attempt_ended(attempt, Outcome(kind=Kind.TIMEOUT, phase=phase), now())
    assert cost_s(picker) == pytest.approx(5.05)


async def test_a_new_worker_is_neither_flooded_nor_starved():
    picker = PeakEwma()
    for worker in WORKERS[1:]:
        await learned(picker, worker, 0.05)
    await asyncio.sleep(1.5)
    counts = Counter(
        picker.pick(Call(id="c", seed=str(n)), candidates(3, 3, 3, 3)).worker for n in range(2000)
    )
    assert 0.15 < counts["w0"] / 2000 < 0.55
    assert picker.pick(Call(id="c", seed="1"), candidates(30, 3, 3, 3)).worker != "w0"


async def test_half_the_weight_counts_as_twice_the_cost():
    picker = PeakEwma()
    assert picker.score(Candidate("w0", 0.5, 2), 0.0) == 2 * picker.score(Candidate("w0", 1.0, 2), 0.0)


async def test_no_more_workers_are_looked_at_than_there_are_choices():
    looked = []

    def look(worker):
        looked.append(worker)
        return Candidate(worker, 1.0, 0)

    PeakEwma(choices=3).pick(Call(id="c"), Candidates([f"w{i}" for i in range(5000)], look))
    assert len(looked) == 3


async def test_nothing_is_kept_of_an_attempt_that_has_ended():
    picker = PeakEwma()
    await load(picker, fails_fast, seconds=5.0)
    assert not any(picker._state.waiting.values())


@pytest.mark.parametrize("metric", ["tpot", "", 3])
def test_an_unknown_metric_is_refused(metric):
    with pytest.raises(ValueError, match=r"^peak_ewma: metric must be one of ttft, e2e, got "):
        PeakEwma(metric=metric)
