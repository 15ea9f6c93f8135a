"""Less traffic for who looks slow or says that it is busy."""

import pytest

from policies.outcome import Kind, Outcome
from policies.outliers.suspect_weight import SuspectWeight
from policies.pool import Pool


def overload(retry_after_s=None, status=429):
    return Outcome(kind=Kind.OVERLOAD, status=status, retry_after_s=retry_after_s)


@pytest.fixture
def gate():
    made = SuspectWeight()
    made.bind(Pool(workers=("w0", "w1")))
    return made


@pytest.mark.parametrize("factor", [2.0, 3.0, 5.0])
def test_a_slow_worker_has_the_weight_of_its_speed_and_its_factor_for_a_score(traffic, factor):
    pool = traffic(SuspectWeight(), slow={"w0": factor})
    pool.run(20.0)
    assert pool.weights() == [pytest.approx(1 / factor, rel=0.2), 1, 1, 1]
    assert pool.gate.score("w0") == pytest.approx(factor, rel=0.2)
    assert pool.gate.score("w1") == 1


def test_however_slow_it_keeps_a_tenth_so_that_it_is_found_to_be_well_again(traffic):
    pool = traffic(SuspectWeight(), slow={"w0": 50.0})
    pool.run(20.0)
    assert pool.weights() == [0.1, 1, 1, 1]
    assert pool.gate.describe("w0", pool.now) == "suspect_weight 0.1"
    pool.slow.clear()
    pool.run(40.0)
    assert pool.weights() == [1, 1, 1, 1]


def test_a_healthy_pool_has_no_suspects(traffic):
    pool = traffic(SuspectWeight(), lengths=(2, 8, 16, 64), rate=3.0)
    for _ in range(60):
        pool.run(1.0)
        assert pool.weights() == [1, 1, 1, 1]


# report 24: sglang#25811
# report 24: sglang#39464
@pytest.mark.parametrize("status", [429, 503])
def test_busy_answers_lower_the_weight_and_bad_requests_do_not(gate, make_attempt, status):
    for _ in range(20):
        gate.attempt_ended(make_attempt(), Outcome(kind=Kind.ERROR, status=400), 0.1)
    assert gate.weight("w0", 0.1) == 1
    for _ in range(20):
        gate.attempt_ended(make_attempt(), overload(status=status), 0.2)
    assert [gate.weight("w0", t) for t in (0.2, 1.1, 1.3)] == [0.25, 0.25, 1]
    assert gate.weight("w1", 0.2) == 1


def test_the_weight_stays_low_for_as_long_as_the_worker_asked(gate, make_attempt):
    gate.attempt_ended(make_attempt(), overload(retry_after_s=30.0), 1.0)
    assert [gate.weight("w0", t) for t in (30.9, 31.0)] == [0.25, 1]


# report 33: litellm#40130
def test_a_longer_wait_extends_a_shorter_one_and_never_the_other_way(gate, make_attempt):
    for now, asked_s in ((0.0, 5.0), (1.0, 30.0), (2.0, 1.0), (3.0, None)):
        gate.attempt_ended(make_attempt(), overload(asked_s), now)
    assert [gate.weight("w0", t) for t in (30.9, 31.0)] == [0.25, 1]


def test_slow_and_busy_together_are_lower_yet_never_below_the_floor(traffic, make_attempt):
    pool = traffic(SuspectWeight(floor_ratio=0.05), slow={"w0": 3.0})
    pool.run(20.0)
    pool.gate.attempt_ended(make_attempt("w0", pool.now), overload(10.0), pool.now)
    assert pool.weights()[0] == pytest.approx(0.25 / 3, rel=0.2)
    floored = SuspectWeight(busy_ratio=0.01)
    floored.attempt_ended(make_attempt(), overload(), 0.0)
    assert floored.weight("w0", 0.5) == 0.1
