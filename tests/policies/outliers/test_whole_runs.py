"""The family in whole virtual pipelines: shares of traffic, timers in front, nobody left without a worker."""

import asyncio
import random
from collections import Counter

import pytest

from policies.assembly import assemble
from policies.call import Call, Chunk
from policies.notation import parse
from policies.outcome import OK, Kind

WORKERS = ("w0", "w1", "w2", "w3")


class Workers:
    """Sixteen tokens, the first after 0.05 s, then one every 0.03 s, longer at slow ones by their factor."""

    def __init__(self, slow):
        self.slow = slow
        self.asked = Counter()

    async def send(self, attempt):
        factor = self.slow.get(attempt.worker, 1.0)
        self.asked[attempt.worker] += 1
        for number in range(16):
            await asyncio.sleep(factor * (0.03 if number else 0.05))
            attempt.deliver(Chunk(b""), asyncio.get_running_loop().time())
        return OK


async def go(policy, slow, seconds, rate=20.0):
    """Open-loop calls through `policy`; what the workers were asked, and the endings by kind."""
    workers, rng = Workers(slow), random.Random(1)
    bound = assemble(parse(policy)).over(WORKERS, workers.send, seed=1)
    loop = asyncio.get_running_loop()
    end_s, tasks = loop.time() + seconds, []
    while loop.time() < end_s:
        await asyncio.sleep(rng.expovariate(rate))
        call = Call(id="c", max_tokens=16, prompt_tokens=20, seed=str(len(tasks)))
        tasks.append(asyncio.create_task(bound.run(call)))
    endings = Counter(outcome.kind for outcome in await asyncio.gather(*tasks))
    assert bound.pending.total() == 0
    return workers.asked, endings


TIMED = "timeout(ttft=1, attempt=2)"


async def test_by_latency_a_slow_worker_gets_next_to_nothing_and_by_errors_its_full_share():
    by_latency, _ = await go("outlier_latency() | round_robin()", {"w0": 5.0}, 30.0)
    assert by_latency["w0"] < 0.06 * by_latency.total()
    by_errors, endings = await go("outlier_errors() | round_robin()", {"w0": 5.0}, 30.0)
    assert by_errors["w0"] == pytest.approx(0.25 * by_errors.total(), rel=0.02)
    assert endings == {Kind.OK: by_errors.total()}


# report 11: envoy#41985
# report 11: envoy#22395
async def test_with_a_timer_in_front_the_slow_answers_are_failures_and_eject_by_errors_too():
    asked, endings = await go(f"{TIMED} | outlier_errors() | round_robin()", {"w0": 5.0}, 30.0)
    assert asked["w0"] < 0.06 * asked.total()
    assert endings[Kind.OK] > 0.95 * endings.total()


# report 30: istio#20135
# report 30: envoy#3263
@pytest.mark.parametrize("family", ["outlier_latency", "outlier_errors", "suspect_weight"])
async def test_when_all_are_slow_no_call_finds_every_door_shut(family):
    slow = dict.fromkeys(WORKERS, 10.0)
    _, endings = await go(f"{TIMED} | {family}() | round_robin()", slow, 30.0)
    assert endings[Kind.REJECTED] == 0
    wide = f"{family}(max_ejection_ratio=1)" if family != "suspect_weight" else f"{family}()"
    _, endings = await go(f"{TIMED} | {wide} | round_robin()", slow, 30.0)
    assert endings[Kind.REJECTED] == 0


@pytest.mark.parametrize("policy", ["suspect_weight()", "outlier_latency(mode=weight)"])
@pytest.mark.parametrize("picker", ["round_robin()", "least_request()"])
async def test_a_weight_takes_traffic_from_a_slow_worker_and_leaves_it_some(policy, picker):
    asked, _ = await go(f"{policy} | {picker}", {"w0": 5.0}, 40.0)
    assert 0.01 * asked.total() < asked["w0"] < 0.15 * asked.total()


@pytest.mark.parametrize("policy", ["outlier_latency()", "outlier_errors()", "suspect_weight()"])
async def test_a_healthy_pool_shares_evenly(policy):
    asked, _ = await go(f"{policy} | round_robin()", {}, 60.0)
    assert max(asked.values()) - min(asked.values()) <= 1
