"""Ejection by failures, as Envoy does it."""

import pytest

from policies.outcome import OK, Kind, Outcome
from policies.outliers.outlier_errors import OutlierErrors
from policies.pool import Pool

WORKERS = ("w0", "w1", "w2", "w3")
FAILED = Outcome(kind=Kind.ERROR, status=500)
DEADLINE = Outcome(kind=Kind.TIMEOUT, phase="total")
PHASES = ("connect", "first_token", "between_tokens", "attempt")


@pytest.fixture
def gate():
    return bound()


def bound(workers=WORKERS, **rules):
    made = OutlierErrors(**rules)
    made.bind(Pool(workers=workers))
    return made


@pytest.fixture
def end(make_attempt):
    """Ends attempts on a worker: `times` of them at `now`, each `age_s` old."""

    def end_some(gate, outcome, times=1, worker="w0", now=1.0, age_s=0.5):
        for _ in range(times):
            gate.attempt_ended(make_attempt(worker, now - age_s), outcome, now)

    return end_some


def test_five_failures_in_a_row_eject_and_four_do_not(gate, end):
    end(gate, FAILED, 4)
    assert gate.weight("w0", 1.0) == 1
    end(gate, FAILED)
    assert [gate.weight(worker, 1.0) for worker in WORKERS] == [0, 1, 1, 1]
    assert gate.describe("w0", 1.0) == "outlier_errors ejected"


def test_a_success_begins_the_count_anew(gate, end):
    for _ in range(10):
        end(gate, FAILED, 4)
        end(gate, OK)
    assert gate.weight("w0", 1.0) == 1


def test_each_ejection_in_a_row_is_longer_by_the_first_and_clean_intervals_forgive(gate, end):
    end(gate, FAILED, 5, now=0.0)
    assert [gate.weight("w0", t) for t in (29.9, 30.0, 40.0)] == [0, 0.1, 1]
    end(gate, FAILED, 5, now=41.0)
    assert [gate.weight("w0", t) for t in (100.9, 101.0)] == [0, 0.1]
    end(gate, FAILED, 5, now=500.0)
    assert gate.weight("w0", 530.0) == 0.1


# report 11: envoy#41985
# report 11: envoy#22395
@pytest.mark.parametrize("phase", PHASES)
def test_the_clients_own_expired_timers_count_against_the_worker(gate, end, phase):
    end(gate, Outcome(kind=Kind.TIMEOUT, phase=phase), 5)
    assert gate.weight("w0", 1.0) == 0


@pytest.fixture
def with_peers(gate, end):
    """Peers whose attempts take 0.5 s."""
    for worker in WORKERS[1:]:
        end(gate, OK, 20, worker=worker)
    return gate


# report 12: grpc-java#12834
# report 12: grpc-java#13001
def test_ten_own_deadlines_after_longer_than_peers_take_eject_and_a_hundred_lost_hedges_do_not(
    with_peers, end
):
    end(with_peers, Outcome(kind=Kind.ABANDONED), 100, worker="w1", age_s=0.9)
    end(with_peers, DEADLINE, 10, now=2.0, age_s=0.9)
    assert [with_peers.weight(worker, 2.0) for worker in WORKERS] == [0, 1, 1, 1]


def test_a_callers_tiny_deadline_benches_no_worker_for_the_others(with_peers, end):
    end(with_peers, DEADLINE, 100, now=2.0, age_s=0.05)
    assert with_peers.weight("w0", 2.0) == 1


def test_without_peers_to_compare_a_deadline_says_nothing(gate, end):
    end(gate, DEADLINE, 100, age_s=60.0)
    assert gate.weight("w0", 1.0) == 1


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(kind=Kind.OVERLOAD, status=429),
        Outcome(kind=Kind.OVERLOAD, status=503),
        Outcome(kind=Kind.ERROR, status=400),
        Outcome(kind=Kind.REJECTED),
        Outcome(kind=Kind.ABANDONED),
        Outcome(kind=Kind.SLOW, status=200),
    ],
)
def test_what_is_no_failure_of_the_worker_never_ejects(gate, end, outcome):
    end(gate, outcome, 200)
    assert gate.weight("w0", 1.0) == 1


def test_attempts_from_before_an_ejection_do_not_prolong_it(gate, end):
    end(gate, FAILED, 5, now=1.0)
    end(gate, FAILED, 50, now=20.0, age_s=19.5)
    assert gate.weight("w0", 31.0) == 0.1


# report 30: istio#20135
# report 30: envoy#3263
def test_when_all_fail_only_the_share_is_out_and_the_others_still_take_calls(gate, end):
    for worker in WORKERS:
        end(gate, FAILED, 50, worker=worker)
    assert [gate.weight(worker, 1.0) for worker in WORKERS] == [0, 1, 1, 1]
    all_out = bound(max_ejection_ratio=1.0)
    for worker in WORKERS:
        end(all_out, FAILED, 50, worker=worker)
    assert [all_out.weight(worker, 1.0) for worker in WORKERS] == [1, 1, 1, 1], "panic: all are open"


# report 33: litellm#40130
def test_failures_during_an_ejection_that_panic_ignores_extend_it(end):
    gate = bound(max_ejection_ratio=1.0)
    for worker in WORKERS[:3]:
        end(gate, FAILED, 5, worker=worker)
    end(gate, FAILED, 5, now=20.0)  # it was still asked, because too few are in
    assert gate._ejector.until_s("w0") == 80.0
    end(gate, FAILED, 5, now=21.0, worker="w1")
    assert gate._ejector.until_s("w0") == 80.0


def half_failing(gate, end, workers, bad, volume, start_s=0.0):
    """One interval in which the bad worker fails every second call and the others none."""
    gate.sweep(start_s)
    for worker in workers:
        for _ in range(volume // 2):
            end(gate, FAILED if worker == bad else OK, worker=worker, now=start_s + 5.0)
            end(gate, OK, worker=worker, now=start_s + 5.0)
    gate.sweep(start_s + 10.0)


# facts 4 and 5 of the survey
@pytest.mark.parametrize(("size", "volume", "out"), [(6, 100, 0), (6, 98, 1), (4, 100, 1), (4, 10_000, 1)])
def test_the_success_rate_finds_a_half_failing_worker_only_in_large_and_busy_pools(end, size, volume, out):
    workers = tuple(f"w{number}" for number in range(size))
    gate = bound(workers)
    half_failing(gate, end, workers, "w2", volume)
    assert gate.weight("w2", 10.0) == out
    assert all(gate.weight(worker, 10.0) == 1 for worker in workers if worker != "w2")


def test_each_interval_is_judged_by_its_own_attempts(end):
    workers = tuple(f"w{number}" for number in range(6))
    gate = bound(workers)
    half_failing(gate, end, workers, "w2", 60)
    half_failing(gate, end, workers, "w2", 60, start_s=10.0)
    assert gate.weight("w2", 20.0) == 1
    half_failing(gate, end, workers, "w2", 100, start_s=20.0)
    assert gate.weight("w2", 30.0) == 0
