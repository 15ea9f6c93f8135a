"""The noise that arms are given, and the bookkeeping of what was decided. The experiment takes long."""

import random
from math import exp, inf, log
from statistics import mean, stdev

import numpy as np
import pytest

from bench.gate_errors.deciding import Decision, decide
from bench.gate_errors.gate import CHAT, CONTAINED, PRESET, calm, plan_of
from bench.gate_errors.noise import STEP, Noise, disturbed, in_pairs, level_of, times_slower
from bench.gate_errors.outcome import caught, identical, on_its_limit, undecided
from bench.gate_errors.real import draw, measure_real, plan_within
from bench.gate_errors.simulated import make, pruned
from bench.gate_errors.study import COSTS, LIMIT, PAIRS, SAME, SEEDS, SPREADS, Draw, by_seed
from bench.gate_errors.truth import middle, true_ratio
from harness.arms import Arm
from harness.errors import BadInput
from harness.judging.history import Arrived, Attempted
from harness.judging.pairs.gate_verdict import Evidence, headline, judge_cells
from harness.judging.pairs.pair import judge_pair
from harness.judging.pairs.signed_rank import estimate
from harness.judging.result import Trend, Verdict
from tests.harness.judging.pairs.made import CALLER, several

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
        assert len({draw.seed for draw in draws}) == len(draws) == PAIRS
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
    assert true_ratio([pair], calm(CHAT)) == pytest.approx(times_slower(3), rel=0.15)


def test_the_slow_worker_of_the_last_study_must_spread_by_the_law():
    fault, control = (make(SPREADS, arm, 1, 0, "control") for arm in (Arm.FAULT, Arm.CONTROL))
    assert judge_pair(fault, control).fault.law.must_fill is True


def steady(ratios):
    """Pairs of identical arms, with the p95 latency of a caller so many times that of its control."""
    return several("e2e_s.p95_all", ratios)


GATE = plan_of(SAME.scenario(), (CONTAINED, calm(CALLER)))
ALONE = plan_of(SAME.scenario(), (calm(CALLER),))


def test_the_gate_looks_when_one_with_two_objectives_does_by_default():
    assert GATE.looks == ALONE.looks
    assert GATE.looks.after == (8, 10, 12)
    assert GATE.looks.error == pytest.approx(0.05)
    assert GATE.looks.most == PAIRS


@pytest.mark.parametrize(
    ("ratios", "verdict", "pairs"),
    [
        ([1.0] * 12, PASS, 8),
        ([2.0] * 12, FAIL, 8),  # and no pair more
        ([2.0, 2.0, *[1.0] * 10], PASS, 10),
        ([1.0, 2.0] * 6, INCONCLUSIVE, 12),
        ([1.5] * 12, PASS, 8),  # the limit itself is inside
    ],
)
def test_a_decision_ends_at_the_look_at_which_the_gate_ends(ratios, verdict, pairs):
    found = decide(steady(ratios), ALONE)
    assert (found.verdict, found.pairs) == (verdict, pairs)


def test_a_decision_is_no_other_than_the_gates_own():
    pairs = steady([1.6, 1.2, 1.7, 1.3] * 3)
    (cell,) = judge_cells(GATE.gate.objectives, [Evidence("", PRESET, pairs, {})], GATE.looks.error_each)
    found = decide(pairs, GATE)
    assert (found.verdict, found.words, found.pairs) == (cell.verdict, headline([cell]), 12)


def test_a_figure_that_is_missing_is_not_sought_in_more_pairs():
    assert decide(steady([None] * 12), ALONE).pairs == 8


def test_a_bystander_beyond_what_is_mild_fails_the_gate_though_its_p95_is_calm():
    pairs = [worse(each, 1.3) for each in steady([1.0] * 12)]
    found = decide(pairs, GATE)
    assert found.verdict is FAIL
    assert found.words.startswith("contained: latency_inflation during fault x1.30")
    assert decide(pairs, ALONE).verdict is PASS


def worse(pair, factor):
    measures = [
        measure.model_copy(update={"value": factor}) if measure.name == "latency_inflation" else measure
        for measure in pair.fault.measures
    ]
    return pair.model_copy(update={"fault": pair.fault.model_copy(update={"measures": measures})})


def test_what_is_pruned_changes_no_decision():
    fault, control = (make(SPREADS, arm, 1, 0, "control") for arm in (Arm.FAULT, Arm.CONTROL))
    whole = judge_pair(fault, control)
    plan = plan_of(SPREADS.scenario(), (CONTAINED, calm(CHAT)))
    pools = ([each.model_copy(update={"seed": s}) for s in range(12)] for each in (whole, pruned(whole)))
    first, second = (decide(pairs, plan) for pairs in pools)
    assert first == second
    assert first.verdict is FAIL


def test_shares_have_their_interval_and_their_aim():
    decisions = [Decision(verdict, 8, "w") for verdict in [PASS] * 297 + [FAIL] * 3]
    found = identical("same", decisions)
    assert found.figures[0].value == 0.01
    assert found.figures[0].met
    assert found.low < 0.01 < found.high
    assert found.row.startswith(
        "| same | 300 | 297 | 3 | 0 | 8.0 | FAIL | 1.0% (0.3% to 2.9%) | at most 1.0% |"
    )
    assert not identical("same", [*decisions, decisions[-1]]).figures[0].met
    assert not caught("spreads", decisions).figures[0].met
    assert caught("spreads", decisions[-3:]).figures[0].met


def test_of_each_kind_of_arms_one_undecided_decision_says_why():
    decisions = [
        Decision(INCONCLUSIVE, 12, "first"),
        Decision(INCONCLUSIVE, 12, "then"),
        Decision(PASS, 8, ""),
    ]
    same, sure = identical("same", decisions), identical("sure", decisions[-1:])
    assert undecided([same, sure]) == ["", "- same, one that stayed undecided: `first`"]


def test_the_limit_of_the_second_study_is_where_the_pool_lies():
    pairs = [
        in_chat(each, ratio) for each, ratio in zip(steady([1.0] * 12), [1.2, 1.3, 1.4] * 4, strict=True)
    ]
    found = on_its_limit("limit", [pairs], LIMIT.scenario())
    assert found.study == "limit (x1.30)"
    assert found.of(INCONCLUSIVE) == 1  # it sits on the limit: nothing is proved
    assert found.share == 0.0


def in_chat(pair, ratio):
    """The ratio is of the caller whom the study asks about."""
    runs = {}
    for side, value in (("fault", ratio), ("control", 1.0)):
        run = getattr(pair, side)
        metric = {calm("").metric: Trend(before=1.0, during=value)}
        callers = [
            each.model_copy(update={"metrics": each.metrics | metric}) if each.name == CHAT else each
            for each in run.callers
        ]
        runs[side] = run.model_copy(update={"callers": callers})
    return pair.model_copy(update=runs)


def test_the_middle_of_all_averages_of_two_is_that_of_the_estimate():
    values = [random.Random(1).gauss(0.3, 0.5) for _ in range(41)] + [0.3, 0.3]
    assert middle(np.sort(values)) == pytest.approx(estimate(values, 0.05).centre, rel=1e-9)


def test_the_true_ratio_of_thousands_of_pairs_is_had_at_once():
    pairs = steady([1.2, 1.3, 1.4, inf])
    assert true_ratio(pairs[:3] * 4000, calm(CALLER)) == pytest.approx(1.3, rel=0.01)
    assert true_ratio(pairs, calm(CALLER)) > 1.3  # infinite is beyond the others, and a value


def test_fewer_real_pairs_than_a_gate_asks_for_are_looked_at_once():
    assert plan_within(PAIRS).looks == GATE.looks
    assert plan_within(2).looks.after == (2,)


def test_real_decisions_have_each_seed_once():
    pool = {seed: steady([1.0] * 2) for seed in range(14)}
    pool = {seed: [p.model_copy(update={"seed": seed}) for p in pairs] for seed, pairs in pool.items()}
    for decision in draw(pool, 5, PAIRS):
        assert len({pair.seed for pair in decision}) == PAIRS
    with pytest.raises(BadInput, match="--seeds 12 and --arms 2"):
        measure_real(1, 11, 3, 12)
