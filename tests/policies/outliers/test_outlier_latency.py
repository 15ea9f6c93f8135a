"""Ejection by latency next to peers: slow workers, long answers, lines for seats, overload."""

import pytest

from policies.outcome import Kind, Outcome
from policies.outliers.outlier_errors import OutlierErrors
from policies.outliers.outlier_latency import OutlierLatency
from policies.policy import Rejection

TAIL = (2, 4, 8, 8, 16, 16, 16, 32, 64, 128)


def test_its_mode_is_one_of_two():
    with pytest.raises(ValueError, match=r"^outlier_latency: mode must be one of eject, weight, got 'soft'$"):
        OutlierLatency(mode="soft")


def test_each_ejection_in_a_row_is_twice_as_long_up_to_the_longest():
    gate = OutlierLatency()
    assert [gate.ejection_s(count) for count in (1, 2, 3, 4, 5, 9999)] == [10, 20, 40, 80, 120, 120]


# report 10: envoy#288
# report 10: kuma#1632
def test_a_slow_worker_without_any_error_is_out_within_two_sweeps_and_by_errors_never(traffic):
    by_latency = traffic(OutlierLatency(), slow={"w0": 5.0})
    while not by_latency.gate._found.sweeps:  # until there is enough to judge by
        by_latency.run(0.1)
    assert by_latency.now < 4.0
    assert by_latency.first_out("w0", within_s=30.0) < OutlierLatency().interval_s + 0.5
    assert by_latency.weights() == [0, 1, 1, 1]
    by_errors = traffic(OutlierErrors(), slow={"w0": 5.0})
    by_errors.run(60.0)
    assert by_errors.weights() == [1, 1, 1, 1]


@pytest.mark.parametrize("factor", [2.5, 3.0, 5.0, 10.0, 100.0])
def test_a_worker_that_becomes_slow_after_a_long_healthy_time_is_found_within_seconds(traffic, factor):
    pool = traffic(OutlierLatency())
    pool.run(60.0)
    pool.slow["w0"] = factor
    out_s = pool.first_out("w0", within_s=30.0)
    assert out_s is not None
    assert out_s < 7.0
    assert pool.weights() == [0, 1, 1, 1]


def test_a_worker_that_hangs_is_found_without_a_single_answer(traffic):
    pool = traffic(OutlierLatency(), slow={"w0": 1e6})
    assert pool.first_out("w0", within_s=6.0) is not None


def test_a_worker_that_falls_silent_between_tokens_is_found(traffic):
    pool = traffic(OutlierLatency())
    pool.run(30.0)
    pool.silent.add("w0")
    assert pool.first_out("w0", within_s=8.0) is not None


# fact 3 of the survey: a controller with its own past for a baseline gets used to a lasting fault
def test_a_lasting_fault_is_never_got_used_to_and_each_ejection_is_longer(traffic):
    pool = traffic(OutlierLatency(jitter_ratio=0.0, max_ejection_s=30.0), slow={"w0": 5.0})
    lengths = []
    while len(lengths) < 4:
        assert pool.first_out("w0", within_s=60.0) is not None
        until_s = pool.gate._ejector.until_s("w0")
        lengths.append(until_s - pool.now)
        pool.run(until_s - pool.now)
    assert lengths == pytest.approx([10, 20, 30, 30], abs=0.5)
    assert pool.weights()[1:] == [1, 1, 1]


def test_a_worker_that_is_well_again_comes_back_through_the_canary_and_stays(traffic):
    pool = traffic(OutlierLatency(), slow={"w0": 5.0})
    pool.first_out("w0", within_s=30.0)
    pool.slow.clear()
    pool.run(10.0)
    assert pool.weights() == [0.1, 1, 1, 1]
    pool.run(12.0)
    assert pool.weights() == [1, 1, 1, 1]
    pool.run(20.0)
    assert pool.gate._ejector.count("w0", pool.now) == 0


def test_answers_still_to_come_from_before_an_ejection_count_for_nothing_afterwards(traffic):
    pool = traffic(OutlierLatency(base_ejection_s=4.0, canary_s=0.0), slow={"w0": 20.0})
    pool.first_out("w0", within_s=30.0)
    pool.slow.clear()
    pool.run(30.0)
    assert pool.weights() == [1, 1, 1, 1]
    assert pool.gate._ejector.count("w0", pool.now) <= 1


# report 6: resilience4j#1477
def test_long_prompts_slow_nobody_down_and_only_a_slow_worker_is_out(traffic):
    pool = traffic(OutlierLatency(), prompts=(10, 10_000), ttft_per_token_s=0.0005, rate=3.0)
    pool.run(60.0)
    assert pool.weights() == [1, 1, 1, 1]
    pool.slow["w2"] = 3.0
    assert pool.first_out("w2", within_s=15.0) is not None
    assert pool.weights() == [1, 1, 0, 1]


def test_a_worker_with_long_answers_alone_is_not_slow(traffic):
    pool = traffic(OutlierLatency(), lengths=TAIL, rate=2.0)
    pool.run(100.0)
    assert pool.weights() == [1, 1, 1, 1]


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("seed", [1, 2])
def test_healthy_workers_with_a_long_tail_of_lengths_and_lines_for_seats_stay_in(traffic, load, seed):
    seats, mean_s = 4, 0.05 + 0.03 * sum(TAIL) / len(TAIL)
    pool = traffic(OutlierLatency(), lengths=TAIL, seats=seats, rate=load * seats / mean_s, seed=seed)
    pool.run(100.0)
    assert all(pool.gate._ejector.until_s(worker) == 0 for worker in pool.workers)


# report 30: istio#20135
# report 30: envoy#3263
def test_when_all_become_slow_nobody_is_out_and_there_is_always_somewhere_to_go(traffic):
    pool = traffic(OutlierLatency())
    pool.run(60.0)
    for worker in pool.workers:
        pool.slow[worker] = 5.0
    for _ in range(300):
        pool.run(0.1)
        assert pool.weights().count(0) <= 1, "one third of four is one"
        assert max(pool.weights()) == 1
    assert pool.weights() == [1, 1, 1, 1]


@pytest.mark.parametrize("seed", [1, 20, 26, 33, 36])
def test_a_pool_whose_workers_all_become_slow_until_no_seat_is_free_has_no_outlier(traffic, seed):
    pool = traffic(OutlierLatency(latency_ratio=1.5), seats=8, seed=seed)
    pool.run(10.0)
    for worker in pool.workers:
        pool.slow[worker] = 10.0
    pool.run(30.0)
    assert all(pool.gate._ejector.until_s(worker) == 0 for worker in pool.workers)


def test_two_slow_of_four_are_not_both_out(traffic):
    pool = traffic(OutlierLatency(), slow={"w0": 5.0, "w1": 5.0})
    for _ in range(300):
        pool.run(0.1)
        assert pool.weights().count(0) <= 1
        assert pool.weights()[2:] == [1, 1]


def test_a_pool_of_one_has_no_peers_and_no_ejection(traffic):
    pool = traffic(OutlierLatency(), workers=("w0",), slow={"w0": 50.0})
    pool.run(60.0)
    assert pool.weights() == [1]


def test_in_mode_weight_a_slow_worker_gets_its_share_of_speed_and_all_of_it_once_it_is_well(traffic):
    pool = traffic(OutlierLatency(mode="weight"), workers=("w0", "w1"), slow={"w0": 4.0})
    pool.run(20.0)
    assert pool.weights() == [pytest.approx(0.25, abs=0.05), 1]
    assert pool.gate.describe("w0", pool.now).startswith("outlier_latency weight 0.2")
    pool.slow.clear()
    pool.run(30.0)
    assert pool.weights() == [1, 1]


def test_in_mode_weight_the_slowest_keeps_a_tenth_so_that_it_stays_measured(traffic):
    pool = traffic(OutlierLatency(mode="weight"), slow={"w0": 50.0})
    pool.run(20.0)
    assert pool.weights() == [0.1, 1, 1, 1]


# report 12: grpc-java#12834
# report 12: grpc-java#13001
def test_lost_hedges_that_took_no_longer_than_is_typical_are_no_evidence(traffic, make_attempt):
    pool = traffic(OutlierLatency())
    pool.run(30.0)
    for number in range(100):
        attempt = make_attempt("w1", pool.now - 0.001 * number / 100)
        pool.gate.attempt_started(attempt)
        pool.gate.attempt_ended(attempt, Outcome(kind=Kind.ABANDONED), pool.now)
    pool.run(10.0)
    assert pool.weights() == [1, 1, 1, 1]


def test_answers_in_one_piece_are_judged_as_a_whole(traffic):
    pool = traffic(OutlierLatency(), stream=False, slow={"w0": 4.0})
    assert pool.first_out("w0", within_s=15.0) is not None
    assert pool.weights() == [0, 1, 1, 1]


def test_whoever_is_out_is_refused_with_the_time_until_it_is_back(traffic, make_attempt):
    pool = traffic(OutlierLatency(), slow={"w0": 5.0})
    pool.first_out("w0", within_s=30.0)
    refused = pool.gate.enter(make_attempt("w0", pool.now))
    assert isinstance(refused, Rejection)
    assert 8 < refused.retry_after_s <= 10
    assert pool.gate.describe("w0", pool.now) == "outlier_latency ejected"


def test_a_sweep_is_due_once_an_interval_and_looking_is_no_event(traffic):
    pool = traffic(OutlierLatency(), slow={"w0": 5.0})
    pool.run(2.0)
    before = pool.gate._found.look._due_s
    for _ in range(100):
        pool.gate.sweep(2.0)
        pool.gate.weight("w0", 1e6)
    assert pool.gate._found.look._due_s == before
    assert pool.weights() == [1, 1, 1, 1]
