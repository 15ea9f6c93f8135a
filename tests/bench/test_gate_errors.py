"""The noise that arms are given, and the bookkeeping of what was decided. The experiment takes long."""

import random
from math import exp, log
from statistics import mean, stdev

import pytest

from bench.gate_errors.deciding import LATENCY, Decision, decide, judge_objective, rate, true_ratio
from bench.gate_errors.noise import STEP, Noise, disturbed, in_pairs, level_of, times_slower
from bench.gate_errors.outcome import identical, on_its_limit
from bench.gate_errors.simulated import make
from bench.gate_errors.study import COSTS, LIMIT, LOOKS, SAME, SEEDS, SPREADS, Draw, by_seed
from harness.arms import Arm
from harness.judging.history import Arrived, Attempted
from harness.judging.pairs.pair import judge_pair
from harness.judging.result import Trend, Verdict
from tests.harness.judging.synthetic import simulate

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def logs(noise, decisions=4000, arms=24):
    rng = random.Random(1)
    return [[level * STEP for level in noise.draw(arms, rng)] for _ in range(decisions)]


def test_arms_differ_by_as_much_as_was_asked():
    quiet = Noise(sigma=0.2, drift=0.0, odd_ratio=0.0)
    speeds = [speed for decision in logs(quiet) for speed in decision]
    assert mean(speeds) == pytest.approx(0.0, abs=0.01)
    assert stdev(speeds) == pytest.approx(0.2, rel=0.06)  # rounding to levels adds a little


def test_a_drift_moves_the_last_arm_away_from_the_first_one_either_way():
    moved = [decision[-1] - decision[0] for decision in logs(Noise(sigma=0.0, drift=1.0, odd_ratio=0.0))]
    assert mean(moved) == pytest.approx(0.0, abs=0.05)
    assert min(moved) == pytest.approx(-1.0, abs=2 * STEP)
    assert max(moved) == pytest.approx(1.0, abs=2 * STEP)


def test_every_tenth_arm_is_off_and_as_often_faster_as_slower():
    odd = [s for d in logs(Noise(sigma=0.0, drift=0.0)) for s in d]
    off = level_of(log(1.65)) * STEP
    assert set(odd) == {-off, 0.0, off}
    assert sum(s != 0 for s in odd) / len(odd) == pytest.approx(0.1, rel=0.05)
    assert sum(s > 0 for s in odd) / sum(s < 0 for s in odd) == pytest.approx(1.0, rel=0.1)


def test_levels_end_where_the_pool_ends():
    assert (level_of(-9), level_of(0.09), level_of(9)) == (-5, 0, 6)
    assert times_slower(0) == 1.0
    assert times_slower(2) == pytest.approx(exp(2 * STEP))


def test_a_slower_arm_pays_more_for_every_part_of_a_step():
    slow = disturbed(COSTS, 3, random.Random(1))
    for name in ("fixed_s", "sequence_s", "prefill_token_s", "kv_token_s"):
        assert getattr(slow, name) == pytest.approx(getattr(COSTS, name) * times_slower(3))
    assert slow.name == COSTS.name  # else the two were no pair
    assert slow.late_s != disturbed(COSTS, 3, random.Random(2)).late_s


def test_pairs_follow_abba_with_the_control_first():
    assert in_pairs([1, 2, 3, 4, 5, 6]) == [(2, 1), (3, 4), (6, 5)]


def test_a_decision_has_each_seed_once_and_the_same_decisions_come_again():
    decisions = SAME.decisions(50, Noise())
    assert decisions == SAME.decisions(50, Noise())
    for draws in decisions:
        assert len({draw.seed for draw in draws}) == len(draws) == LOOKS.most
        assert {draw.seed for draw in draws} <= set(range(1, SEEDS + 1))


def test_what_is_slower_by_design_is_slower_in_the_candidate_alone():
    still = Noise(sigma=0.0, drift=0.0, odd_ratio=0.0)
    (draws,) = LIMIT.decisions(1, still)
    assert {(draw.fault, draw.control) for draw in draws} == {(LIMIT.slower, 0)}


def test_each_seed_is_asked_for_each_of_its_pairs_once():
    one, other = Draw(1, 0, 0), Draw(1, 1, 0)
    assert by_seed([[one, Draw(2, 0, 0)], [one, other]]) == {1: [one, other], 2: [Draw(2, 0, 0)]}


def test_a_slower_arm_is_really_simulated_with_the_same_requests():
    plain, slow = (make(SAME, Arm.CONTROL, 1, level, "control") for level in (0, 3))
    sent = [[(r.request, r.at_s) for r in h.of(Arrived)] for h in (plain, slow)]
    assert sent[0] == sent[1]
    took = [mean(a.at_s - a.started_s for a in h.of(Attempted)) for h in (plain, slow)]
    assert took[1] / took[0] == pytest.approx(times_slower(3), rel=0.1)
    pair = judge_pair(slow, plain)
    assert pair.fault.bite is None
    assert true_ratio([pair], LATENCY) == pytest.approx(times_slower(3), rel=0.15)


def test_the_slow_worker_of_the_last_study_must_spread_by_the_law():
    fault, control = (make(SPREADS, arm, 1, 0, "control") for arm in (Arm.FAULT, Arm.CONTROL))
    assert judge_pair(fault, control).fault.law.must_fill is True


@pytest.fixture(scope="module")
def calm():
    return judge_pair(simulate(kind=None), simulate(kind=None))


def at_ratio(pair, ratio):
    """The pair with p95 of chat so many times that of its control."""
    callers = [
        caller.model_copy(update={"metrics": caller.metrics | {LATENCY.metric: Trend(during=ratio)}})
        for caller in pair.fault.callers
    ]
    theirs = [
        caller.model_copy(update={"metrics": caller.metrics | {LATENCY.metric: Trend(during=1.0)}})
        for caller in pair.control.callers
    ]
    fault = pair.fault.model_copy(update={"callers": callers})
    return pair.model_copy(
        update={"fault": fault, "control": pair.control.model_copy(update={"callers": theirs})}
    )


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.0] * 8, PASS),
        ([2.0] * 8, FAIL),
        ([1.0] * 4 + [2.0] * 4, INCONCLUSIVE),
        ([1.5] * 8, PASS),  # the limit itself is inside
    ],
)
def test_the_objective_is_decided_by_its_interval(calm, ratios, verdict):
    assert judge_objective([at_ratio(calm, ratio) for ratio in ratios], LATENCY, LOOKS.error_each) is verdict


def test_a_decision_is_taken_at_the_first_look_that_can(calm):
    early = [at_ratio(calm, 1.0)] * 12
    late = [at_ratio(calm, ratio) for ratio in (2.0, 2.0, *[1.0] * 10)]
    never = [at_ratio(calm, ratio) for ratio in (1.0, 2.0) * 6]
    assert [decide(pairs, LOOKS).pairs for pairs in (early, late, never)] == [8, 10, 12]
    assert decide(never, LOOKS).verdict is INCONCLUSIVE


def test_shares_have_their_interval_and_their_aim():
    decisions = [Decision(verdict, verdict, verdict, 8, "w") for verdict in [PASS] * 297 + [FAIL] * 3]
    found = identical("same", decisions)
    assert found.figures[0].value == 0.01
    assert found.figures[0].met
    assert found.low < 0.01 < found.high
    assert found.row.startswith(
        "| same | 300 | 297 | 3 | 0 | 8.0 | FAIL | 1.0% (0.3% to 2.9%) | at most 1.0% |"
    )
    assert not identical("same", [*decisions, decisions[-1]]).figures[0].met
    assert rate([PASS, FAIL], FAIL)[0] == 0.5


def test_the_limit_of_the_second_study_is_where_the_pool_lies(calm):
    pairs = [at_ratio(calm, ratio) for ratio in (1.2, 1.3, 1.4) * 4]
    found = on_its_limit("limit", [pairs])
    assert found.study == "limit (x1.30)"
    assert found.share == 0.0  # it sits on the limit: nothing is proved


def test_the_true_ratio_of_thousands_of_pairs_is_had_at_once(calm):
    pairs = [at_ratio(calm, ratio) for ratio in (1.2, 1.3, 1.4)]
    assert true_ratio(pairs * 1000, LATENCY) == pytest.approx(1.3, rel=0.01)
