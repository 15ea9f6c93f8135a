"""pybreaker, behind the adapter that makes it right under asyncio."""

import asyncio

import pybreaker
import pytest

from policies.breakers.breaker_pybreaker import BreakerPybreaker
from policies.breakers.breaker_window import BreakerWindow
from policies.call import Call
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Rejection

FAILED = Outcome(kind=Kind.ERROR, status=500)
ABANDONED = Outcome(kind=Kind.ABANDONED)


@pytest.fixture
def end(make_attempt):
    def end_one(gate, outcome, at_s, worker="w0"):
        attempt = make_attempt(worker, at_s)
        lease = gate.enter(attempt)
        assert not isinstance(lease, Rejection), lease
        lease.close(attempt, outcome, at_s)

    return end_one


@pytest.fixture
def trip(end):
    def trip_it(gate, worker="w0"):
        for _ in range(gate.fail_max):
            end(gate, FAILED, 0.0, worker)
        assert gate.weight(worker, 0.0) == 0

    return trip_it


# making the coroutine counts as the success
# report 1: pybreaker#7
async def test_the_librarys_decorator_never_opens_on_a_coroutine_and_the_adapter_does(end):
    raw = pybreaker.CircuitBreaker(fail_max=5)

    @raw
    async def fail():
        raise OSError("down")

    for _ in range(10):
        with pytest.raises(OSError, match="down"):
            await fail()
    assert (raw.current_state, raw.fail_counter) == ("closed", 0)

    async def failing(attempt):
        return FAILED

    gate = BreakerPybreaker(fail_max=5)
    bound = Pipeline(gates=(gate,)).over(["w0"], failing)
    kinds = [(await bound.run(Call(id="c"))).kind for _ in range(10)]
    assert kinds == [Kind.ERROR] * 5 + [Kind.REJECTED] * 5


def test_a_success_in_between_starts_the_count_afresh(end):
    gate = BreakerPybreaker(fail_max=3)
    for outcome in (FAILED, FAILED, OK, FAILED, FAILED):
        end(gate, outcome, 0.0)
    assert gate.weight("w0", 0.0) == 1
    end(gate, FAILED, 0.0)
    assert gate.weight("w0", 0.0) == 0


def test_time_is_the_loops_and_not_the_wall_clocks(trip, end):
    gate = BreakerPybreaker(reset_timeout_s=60)
    trip(gate)
    assert [gate.weight("w0", t) for t in (59.9, 60.0)] == [0, 1]
    assert [gate.describe("w0", t) for t in (59.9, 60.0)] == [
        "breaker_pybreaker open",
        "breaker_pybreaker half-open",
    ]
    end(gate, OK, 60.0)
    assert (gate.weight("w0", 60.0), gate.describe("w0", 60.0)) == (1, "")


def test_a_failed_probe_reopens_it_from_then_on(trip, end):
    gate = BreakerPybreaker(reset_timeout_s=60)
    trip(gate)
    end(gate, FAILED, 70.0)
    assert [gate.weight("w0", t) for t in (70.0, 129.9, 130.0)] == [0, 0, 1]


def test_half_open_admits_exactly_one_probe_of_fifty(make_attempt, trip):
    gate = BreakerPybreaker(reset_timeout_s=60)
    trip(gate)
    entered = [gate.enter(make_attempt(started_s=60.0)) for _ in range(50)]
    assert sum(not isinstance(lease, Rejection) for lease in entered) == 1


def test_several_successes_in_a_row_close_it_if_asked_for(trip, end):
    gate = BreakerPybreaker(reset_timeout_s=60, success_threshold=3)
    trip(gate)
    for _ in range(2):
        end(gate, OK, 60.0)
    assert gate.describe("w0", 60.0) == "breaker_pybreaker half-open"
    end(gate, OK, 60.0)
    assert gate.describe("w0", 60.0) == ""


# with the library's own block a cancelled probe closes the circuit, or a cancelled call opens it
# report 7: resilience4j#544
# report 7: resilience4j#935
@pytest.mark.parametrize("outcome", [ABANDONED, Outcome(kind=Kind.REJECTED), Outcome(kind=Kind.OVERLOAD)])
def test_endings_without_a_verdict_change_no_state_and_return_the_permit(trip, end, outcome):
    gate = BreakerPybreaker(reset_timeout_s=60)
    for _ in range(100):
        end(gate, outcome, 0.0)
    assert gate.describe("w0", 0.0) == ""
    trip(gate)
    for _ in range(5):
        end(gate, outcome, 60.0)
        assert gate.describe("w0", 60.0) == "breaker_pybreaker half-open"
    end(gate, OK, 60.0)
    assert gate.describe("w0", 60.0) == ""


def test_abandoned_attempts_do_not_start_the_count_of_failures_afresh(end):
    gate = BreakerPybreaker(fail_max=2)
    for outcome in (FAILED, ABANDONED, FAILED):
        end(gate, outcome, 0.0)
    assert gate.weight("w0", 0.0) == 0


async def test_a_cancelled_call_stays_a_cancellation_at_the_point_of_opening():
    async def hang(attempt):
        await asyncio.sleep(100)

    bound = Pipeline(gates=(BreakerPybreaker(fail_max=1),)).over(["w0"], hang)
    task = asyncio.create_task(bound.run(Call(id="c")))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert bound.describe(1.0) == {}


# report 8: Polly#216
def test_a_hung_probe_keeps_the_next_one_back_for_one_more_open_time_at_most(make_attempt, trip, end):
    gate = BreakerPybreaker(reset_timeout_s=60)
    trip(gate)
    hung = make_attempt(started_s=60.0)
    lease = gate.enter(hung)
    assert [gate.weight("w0", t) for t in (60.0, 119.9, 120.0)] == [0, 0, 1]
    second = make_attempt(started_s=120.0)
    gate.enter(second)
    lease.close(hung, ABANDONED, 121.0)
    assert gate.weight("w0", 121.0) == 0, "the first probe's end does not free the second one's permit"


# late failures of calls begun while closed move the library's opening time, or reopen it
# report 9: Polly#217
def test_stragglers_neither_reopen_nor_prolong_nor_close(make_attempt, trip, end):
    gate = BreakerPybreaker(reset_timeout_s=60)
    stragglers = [make_attempt() for _ in range(20)]
    leases = [gate.enter(attempt) for attempt in stragglers]
    trip(gate)
    for i, outcome in enumerate((FAILED, OK)):
        leases[i].close(stragglers[i], outcome, 30.0)
        leases[i + 2].close(stragglers[i + 2], outcome, 60.0)
    assert [gate.weight("w0", t) for t in (59.9, 60.0)] == [0, 1]
    end(gate, OK, 60.0)
    for lease, attempt in zip(leases[4:], stragglers[4:], strict=True):
        lease.close(attempt, FAILED, 61.0)
    assert gate.weight("w0", 61.0) == 1


@pytest.mark.parametrize(("scope", "weights"), [("worker", [0, 1]), ("service", [0, 0])])
def test_the_scope_says_who_is_shut_out_with_a_failing_worker(trip, scope, weights):
    gate = BreakerPybreaker(scope=scope)
    trip(gate)
    assert [gate.weight(worker, 0.0) for worker in ("w0", "w1")] == weights


def test_one_bad_worker_of_four_rarely_fails_five_times_in_a_row_for_a_whole_service(end):
    gate = BreakerPybreaker(scope="service")
    for number in range(1000):
        worker = f"w{number % 4}"
        end(gate, FAILED if worker == "w0" else OK, 0.0, worker)
    assert gate.weight("w0", 0.0) == 1


# envoyproxy/envoy#288, kumahq/kuma#1632: slowness without errors
def test_it_never_notices_a_worker_that_is_slow_but_answers_where_the_window_does(make_attempt, give_tokens):
    consecutive = BreakerPybreaker()
    window = BreakerWindow(min_calls=8, slow_ttft_s=0.5, slow_tpot_s=0.12)
    for gate in (consecutive, window):
        for number in range(50):
            attempt = make_attempt(started_s=number / 10)
            lease = gate.enter(attempt)
            if not isinstance(lease, Rejection):
                lease.close(attempt, OK, give_tokens(attempt, 0.15, 0.15, 16))
    assert (consecutive.weight("w0", 8.0), window.weight("w0", 8.0)) == (1, 0)
