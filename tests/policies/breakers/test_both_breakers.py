"""What must hold for each of the breakers, in a pipeline."""

import asyncio
from collections import Counter

import pytest

from policies.breakers.breaker_pybreaker import BreakerPybreaker
from policies.breakers.breaker_window import BreakerWindow
from policies.call import Call
from policies.limits.bulkhead import Bulkhead
from policies.outcome import OK, Kind, Outcome
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.policy import Rejection

FAILED = Outcome(kind=Kind.ERROR, status=500)
WORKERS = ("w0", "w1", "w2", "w3")
TRIPS = 5  # failures
OPEN_S = 10


def pybreaker():
    return BreakerPybreaker(fail_max=TRIPS, reset_timeout_s=OPEN_S)


def window():
    return BreakerWindow(
        min_calls=TRIPS, open_s=OPEN_S, jitter_ratio=0, count_in_flight=False, half_open_lease_s=OPEN_S
    )


each_breaker = pytest.mark.parametrize("breaker", [pybreaker, window])


def fail(gate, make_attempt, times):
    for _ in range(times):
        attempt = make_attempt()
        gate.enter(attempt).close(attempt, FAILED, 0.0)


# report 8: Polly#216
@each_breaker
async def test_of_fifty_waiters_one_probes_and_the_rest_go_elsewhere_until_its_lease_is_over(
    breaker, make_attempt
):
    sent = Counter()

    async def send(attempt):
        sent[attempt.worker] += 1
        await asyncio.sleep(100 if attempt.worker == "w0" else 0.1)
        return OK

    gate = breaker()
    fail(gate, make_attempt, TRIPS)
    bound = Pipeline(gates=(gate,), picker=RoundRobin()).over(WORKERS, send)
    await asyncio.sleep(OPEN_S)
    for probes in (1, 2):
        before = sent.total()
        tasks = [asyncio.create_task(bound.run(Call(id="c"))) for _ in range(50)]
        await asyncio.sleep(1)
        assert (sent["w0"], sent.total() - before) == (probes, 50)
        await asyncio.sleep(OPEN_S - 2)
        assert gate.weight("w0", asyncio.get_running_loop().time()) == 0
        await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


# report 24: sglang#25811
# report 24: sglang#39464
@each_breaker
@pytest.mark.parametrize("busy", [429, 503])
def test_bad_requests_and_a_busy_worker_leave_it_closed(breaker, busy, make_attempt):
    gate = breaker()
    bad_request = Outcome(kind=Kind.ERROR, status=400)
    overload = Outcome(kind=Kind.OVERLOAD, status=busy, retry_after_s=1.0)
    for number, outcome in enumerate([bad_request] * 20 + [overload] * 20):
        attempt = make_attempt(started_s=number / 10)
        lease = gate.enter(attempt)
        assert not isinstance(lease, Rejection)
        lease.close(attempt, outcome, number / 10)
    assert (gate.weight("w0", 4.0), gate.describe("w0", 4.0)) == (1, "")


# report 25: resilience4j#1656
# report 25: resilience4j#2013
@each_breaker
@pytest.mark.parametrize("outermost", ["breaker", "bulkhead"])
async def test_a_hundred_refusals_of_a_bulkhead_count_nothing_wherever_it_stands(
    breaker, outermost, make_attempt
):
    async def send(attempt):
        await asyncio.sleep(1)
        return OK

    gate, bulkhead = breaker(), Bulkhead(max_in_flight=1)
    gates = (gate, bulkhead) if outermost == "breaker" else (bulkhead, gate)
    bound = Pipeline(gates=gates).over(["w0"], send)
    holder = asyncio.create_task(bound.run(Call(id="holder")))
    await asyncio.sleep(0.1)
    for _ in range(100):
        assert isinstance(bulkhead.enter(make_attempt()), Rejection)
        lease = gate.enter(attempt := make_attempt(started_s=0.1))
        lease.close(attempt, Outcome(kind=Kind.REJECTED, phase="admission", by="bulkhead"), 0.1)
        assert (await bound.run(Call(id="c"))).kind is Kind.REJECTED
    assert await holder is OK
    fail(gate, make_attempt, TRIPS - 2)  # with the holder's success one below what the window judges
    assert gate.weight("w0", 1.0) == 1
