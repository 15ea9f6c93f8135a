"""The breaker over a sliding window: hung, slow and failing workers, probes, stragglers."""

import random

import pytest

from policies.breakers.breaker_window import BreakerWindow
from policies.outcome import OK, Kind, Outcome
from policies.policy import Rejection

FAILED = Outcome(kind=Kind.ERROR, status=500)
ABANDONED = Outcome(kind=Kind.ABANDONED)


def breaker(**rules):
    defaults = {
        "window_s": 400,
        "min_calls": 4,
        "open_s": 10,
        "jitter_ratio": 0,
        "slow_ttft_s": 2.0,
        "slow_tpot_s": 0.1,
    }
    return BreakerWindow(**(defaults | rules))


@pytest.fixture
def end(make_attempt, give_tokens):
    """Takes attempts on a worker from entry to an ending."""

    def end_one(gate, outcome, at_s, worker="w0", first_s=0.1, gap_s=0.03, **call):
        attempt = make_attempt(worker, at_s, **call)
        lease = gate.enter(attempt)
        assert not isinstance(lease, Rejection), lease
        ended_s = give_tokens(attempt, first_s, gap_s, 16) if outcome.answered else at_s + 0.1
        lease.close(attempt, outcome, ended_s)
        return ended_s

    return end_one


@pytest.fixture
def trip(end):
    """Opens the breaker of w0 at 0.1 s."""

    def trip_it(gate):
        for _ in range(gate.min_calls):
            end(gate, FAILED, 0.0)
        assert gate.weight("w0", 0.1) == 0

    return trip_it


# calls in flight cannot open theirs, so a hung worker is found one timeout late
# report 5: resilience4j#1597
def test_twenty_hung_calls_shut_a_worker_within_the_slow_bound_with_nothing_ended(make_attempt):
    gate = breaker(min_calls=8)
    for _ in range(20):
        gate.enter(make_attempt())
    assert gate.weight("w0", 2.0) == 1
    assert gate.weight("w0", 2.001) == 0
    assert gate.describe("w0", 2.001) == "breaker_window open"
    assert gate.weight("w1", 2.001) == 1


def test_without_counting_in_flight_hung_calls_are_not_seen(make_attempt):
    gate = breaker(count_in_flight=False)
    for _ in range(20):
        gate.enter(make_attempt())
    assert gate.weight("w0", 1000.0) == 1


def test_hung_calls_as_the_only_traffic_open_it_once_and_let_one_probe_through_each_time(make_attempt):
    gate = breaker(max_open_s=10)
    for _ in range(8):
        gate.enter(make_attempt())
    assert [gate.weight("w0", t) for t in (2.1, 11.9, 12.0)] == [0, 0, 1]
    assert not isinstance(gate.enter(make_attempt(started_s=12.5)), Rejection)
    assert isinstance(gate.enter(make_attempt(started_s=12.5)), Rejection)
    assert [gate.weight("w0", t) for t in (14.6, 24.4, 24.6)] == [0, 0, 1], (
        "the hung probe reopened it at 14.5"
    )


def test_looking_has_no_effect_at_whatever_time(make_attempt, end):
    rng, looked_at, left_alone = random.Random(1), breaker(), breaker()
    states = []
    for gate, looks in ((looked_at, True), (left_alone, False)):
        rng.seed(1)
        now, leases, seen = 0.0, [], []
        for _ in range(400):
            now += rng.expovariate(2.0)
            attempt = make_attempt(rng.choice(["w0", "w1"]), now)
            lease = gate.enter(attempt)
            seen.append(isinstance(lease, Rejection))
            if not isinstance(lease, Rejection):
                leases.append((lease, attempt))
            if leases and rng.random() < 0.7:
                lease, attempt = leases.pop(rng.randrange(len(leases)))
                lease.close(attempt, rng.choice([OK, FAILED, ABANDONED]), now)
            if looks:
                for worker in ("w0", "w1", "w2"):
                    for ahead_s in (500.0, 0.0, 30.0):
                        gate.weight(worker, now + ahead_s)
                        gate.describe(worker, now + ahead_s)
        states.append(seen)
    assert states[0] == states[1]
    assert True in states[0]


def test_a_slow_worker_that_answers_every_call_is_shut_out(end):
    gate = breaker()
    for number in range(4):
        end(gate, OK, float(number), first_s=0.3, gap_s=0.3)
    assert gate.weight("w0", 9.0) == 0


# resilience4j/resilience4j#1477, with lengths of answers
def test_long_answers_are_not_slow_and_only_the_worker_with_slow_tokens_is_shut_out(
    make_attempt, give_tokens
):
    gate = breaker()
    shut = set()
    for worker, gap_s in (("w0", 0.05), ("w1", 0.05), ("w2", 0.15)):
        now = 0.0
        for tokens in (10, 1000) * 4:
            attempt = make_attempt(worker, now)
            lease = gate.enter(attempt)
            if isinstance(lease, Rejection):
                shut.add(worker)
                break
            now = give_tokens(attempt, 0.1, gap_s, tokens)
            lease.close(attempt, OK, now)
    assert shut == {"w2"}


def test_tokens_that_come_too_slowly_are_seen_before_the_answer_ends(make_attempt, give_tokens):
    gate = breaker()
    for _ in range(4):
        attempt = make_attempt()
        gate.enter(attempt)
        give_tokens(attempt, 0.3, 0.3, 3)
    assert gate.weight("w0", 0.69) == 1
    assert gate.weight("w0", 0.71) == 0


# envoyproxy/envoy#41985 and #22395: client timeouts were not counted
@pytest.mark.parametrize("phase", ["connect", "first_token", "between_tokens", "attempt"])
def test_our_own_expired_timers_count_against_the_worker(end, phase):
    gate = breaker()
    for _ in range(4):
        end(gate, Outcome(kind=Kind.TIMEOUT, phase=phase), 0.0)
    assert gate.weight("w0", 0.2) == 0


# grpc/grpc-java#12834, #13001: hedge losers and callers who left
@pytest.mark.parametrize(
    "outcome",
    [
        ABANDONED,
        Outcome(kind=Kind.REJECTED),
        Outcome(kind=Kind.OVERLOAD, status=429),
        Outcome(kind=Kind.OVERLOAD, status=503),
        Outcome(kind=Kind.ERROR, status=400),
        Outcome(kind=Kind.TIMEOUT, phase="total"),
    ],
)
def test_endings_that_are_not_the_workers_fault_never_shut_it(end, outcome):
    gate = breaker()
    for number in range(100):
        end(gate, outcome, number / 100)
    assert (gate.weight("w0", 1.1), gate.describe("w0", 1.1)) == (1, "")


@pytest.mark.parametrize("outcome", [ABANDONED, Outcome(kind=Kind.OVERLOAD, status=429)])
def test_an_ending_that_teaches_nothing_does_so_however_slow_the_attempt_was(
    make_attempt, give_tokens, outcome
):
    gate = breaker(count_in_flight=False)
    for _ in range(8):
        attempt = make_attempt()
        lease = gate.enter(attempt)
        lease.close(attempt, outcome, give_tokens(attempt, 5.0, 1.0, 16))
    assert gate.weight("w0", 30.0) == 1


# report 29: PraisonAI#4969
def test_a_deadline_that_ran_out_counts_only_on_an_attempt_that_was_slow_by_then(make_attempt):
    for age_s, weight in ((1.9, 1), (2.1, 0)):
        gate = breaker(count_in_flight=False)
        for _ in range(4):
            attempt = make_attempt()
            gate.enter(attempt).close(attempt, Outcome(kind=Kind.TIMEOUT, phase="total"), age_s)
        assert gate.weight("w0", age_s) == weight


# zeromicro/go-zero#5011: calls of 60 s in a window of 10 s, counted at their start, were never seen
def test_calls_longer_than_the_window_count_when_they_end(make_attempt):
    gate = breaker(window_s=10, count_in_flight=False)
    attempts = [make_attempt() for _ in range(4)]
    leases = [gate.enter(attempt) for attempt in attempts]
    for lease, attempt in zip(leases, attempts, strict=True):
        lease.close(attempt, FAILED, 60.0)
    assert gate.weight("w0", 60.0) == 0


# report 30: browser-use#5418
@pytest.mark.parametrize("permits", [1, 3])
def test_half_open_admits_exactly_the_permitted_probes_of_fifty(make_attempt, trip, permits):
    gate = breaker(half_open_permits=permits)
    trip(gate)
    entered = [gate.enter(make_attempt(started_s=10.2)) for _ in range(50)]
    assert sum(not isinstance(lease, Rejection) for lease in entered) == permits
    assert gate.weight("w0", 10.2) == 0


def test_a_good_probe_closes_it_and_a_slow_one_reopens_it(trip, end):
    good, slow = breaker(), breaker(count_in_flight=False)
    for gate, gap_s in ((good, 0.03), (slow, 0.3)):
        trip(gate)
        end(gate, OK, 10.2, gap_s=gap_s)
    assert (good.weight("w0", 20.0), slow.weight("w0", 20.0)) == (1, 0)


# a probe without a verdict kept its permit for ever
# report 7: resilience4j#544
# report 7: resilience4j#935
@pytest.mark.parametrize("outcome", [ABANDONED, Outcome(kind=Kind.REJECTED), Outcome(kind=Kind.OVERLOAD)])
def test_a_probe_without_a_verdict_returns_its_permit(trip, end, outcome):
    gate = breaker()
    trip(gate)
    for _ in range(5):
        end(gate, outcome, 10.2)
        assert gate.describe("w0", 10.3) == "breaker_window half-open"
    end(gate, OK, 10.3)
    assert gate.describe("w0", 11.0) == ""


# a hung probe blocked recovery
# report 8: Polly#216
def test_a_hung_probe_keeps_the_next_one_back_only_for_its_lease(make_attempt, trip):
    gate = breaker(count_in_flight=False, half_open_lease_s=5)
    trip(gate)
    gate.enter(make_attempt(started_s=11.0))
    assert [gate.weight("w0", t) for t in (11.0, 15.9, 16.0)] == [0, 0, 1]
    gate.enter(make_attempt(started_s=16.0))
    assert isinstance(gate.enter(make_attempt(started_s=16.0)), Rejection)


# a call begun before the opening closed the circuit when it ended in half open
# report 9: Polly#217
def test_stragglers_from_before_the_opening_neither_close_nor_reopen_nor_prolong(make_attempt, trip, end):
    gate = breaker(count_in_flight=False)
    stragglers = [make_attempt() for _ in range(9)]
    leases = [gate.enter(attempt) for attempt in stragglers]
    trip(gate)
    for i, at_s in enumerate((5.0, 10.2)):  # open, then half open
        leases[i].close(stragglers[i], FAILED, at_s)
        leases[i + 2].close(stragglers[i + 2], OK, at_s)
    assert [gate.weight("w0", t) for t in (10.0, 10.2)] == [0, 1]
    end(gate, OK, 10.2)
    for lease, attempt in zip(leases[4:], stragglers[4:], strict=True):
        lease.close(attempt, FAILED, 11.0)
    assert gate.weight("w0", 11.0) == 1


def test_attempts_from_before_the_opening_are_no_evidence_in_flight_afterwards(make_attempt, trip, end):
    gate = breaker()
    for _ in range(20):
        gate.enter(make_attempt())
    trip(gate)
    end(gate, OK, 10.2)
    assert gate.weight("w0", 100.0) == 1


def test_a_rejection_says_when_to_come_back(make_attempt, trip):
    gate = breaker()
    trip(gate)
    rejection = gate.enter(make_attempt(started_s=4.1))
    assert rejection.retry_after_s == pytest.approx(6.0)


def test_workers_are_judged_apart(trip):
    gate = breaker()
    trip(gate)
    assert gate.weight("w1", 0.2) == 1


def test_the_end_of_one_slow_attempt_makes_the_opening_last_that_it_was_part_of(make_attempt):
    gate = breaker()
    attempts = [make_attempt() for _ in range(4)]
    leases = [gate.enter(attempt) for attempt in attempts]
    leases[0].close(attempts[0], ABANDONED, 3.0)
    assert gate.weight("w0", 3.0) == 0


def test_an_attempt_on_another_worker_makes_an_opening_last(make_attempt, give_tokens):
    gate = breaker()
    attempts = [make_attempt() for _ in range(4)]
    for attempt in attempts:
        gate.enter(attempt)
        give_tokens(attempt, 0.1, 0.1, 1)
    gate.enter(make_attempt("w1", started_s=0.6))
    for attempt in attempts:
        give_tokens(attempt, 0.1, 0.01, 16)  # a burst makes up for the stall
    assert gate.weight("w0", 0.6) == 0


def test_an_opening_lasts_when_its_attempts_were_looked_at_before_their_first_token(
    make_attempt, give_tokens
):
    """The first token may make an attempt slow sooner than the lack of one would have."""
    gate = breaker(slow_ttft_s=10.0, slow_tpot_s=0.25)
    attempts = [make_attempt() for _ in range(4)]
    for attempt in attempts:
        gate.enter(attempt)
    gate.enter(make_attempt("w1", started_s=1.1))  # looks at them
    for attempt in attempts:
        give_tokens(attempt, 1.3, 0.1, 1)
    gate.enter(make_attempt("w1", started_s=2.4))  # slow since 2.3
    for attempt in attempts:
        give_tokens(attempt, 2.5, 0.01, 16)  # a burst makes up for the stall
    assert gate.weight("w0", 2.6) == 0
