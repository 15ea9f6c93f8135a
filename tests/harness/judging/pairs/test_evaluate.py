"""Objectives over pairs: when they are inside, outside, or undecided, and what settles it."""

from math import inf

import pytest

from harness.judging.pairs.evaluate import evaluate, shared
from harness.judging.result import Measure, Trend, Verdict
from tests.harness.judging.pairs.made import made, objective, several, with_trend

ERROR = 0.05
P95 = "e2e_s.p95_all"
EIGHT = [1.0, 1.1, 0.95, 1.05, 1.2, 1.0, 0.9, 1.1]


def times(factor, values=EIGHT):
    return [factor * value for value in values]


def test_a_ratio_wholly_inside_its_limit_passes():
    found = evaluate(objective(limit=1.5), several(P95, EIGHT), ERROR)
    assert found.verdict is Verdict.PASS
    assert found.lower < found.value < found.upper <= 1.5
    assert found.pairs == 8
    assert found.samples == 400


def test_a_ratio_wholly_outside_its_limit_fails():
    found = evaluate(objective(limit=1.5), several(P95, times(3)), ERROR)
    assert found.verdict is Verdict.FAIL
    assert found.lower > 1.5


def test_a_ratio_across_its_limit_is_undecided_and_told_how_many_more_pairs():
    found = evaluate(objective(limit=1.5), several(P95, times(1.4)), ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.settle.startswith("about ")
    assert "more pairs" in found.settle


def test_a_lower_bound_is_the_mirror_of_an_upper_one():
    down = [1 / value for value in times(3)]
    assert evaluate(objective("min_vs_control", 0.9), several(P95, down), ERROR).verdict is Verdict.FAIL
    assert evaluate(objective("min_vs_control", 0.9), several(P95, times(3)), ERROR).verdict is Verdict.PASS


def test_the_limit_itself_is_inside():
    found = evaluate(objective(limit=1.0), several(P95, [1.0] * 8), ERROR)
    assert (found.value, found.verdict) == (1.0, Verdict.PASS)


def test_an_absolute_limit_is_in_the_unit_of_the_metric():
    pairs = several(P95, times(2), [0.5] * 8)
    assert evaluate(objective("max", 3.0), pairs, ERROR).verdict is Verdict.PASS
    assert evaluate(objective("max", 1.5), pairs, ERROR).verdict is Verdict.FAIL


def test_nothing_of_nothing_is_no_change_and_something_of_nothing_is_infinite():
    metric = "drop_ratio"
    none = evaluate(objective(limit=1.5, metric=metric), several(metric, [0.0] * 8, [0.0] * 8), ERROR)
    assert (none.value, none.verdict) == (1.0, Verdict.PASS)
    some = evaluate(objective(limit=1.5, metric=metric), several(metric, [0.1] * 8, [0.0] * 8), ERROR)
    assert (some.value, some.verdict) == (inf, Verdict.FAIL)


def test_of_two_infinite_figures_nobody_knows_which_is_worse():
    found = evaluate(objective(limit=1.5), several(P95, [inf] * 8, [inf] * 8), ERROR)
    assert (found.verdict, found.value) == (Verdict.INCONCLUSIVE, None)
    assert found.why == "no figure in 8 of 8 pairs"


@pytest.mark.parametrize(("on_missing", "verdict"), [("inconclusive", "INCONCLUSIVE"), ("fail", "FAIL")])
def test_a_figure_that_one_pair_lacks_means_what_the_file_says(on_missing, verdict):
    pairs = [*several(P95, EIGHT[:7]), made(8, P95, None)]
    found = evaluate(objective(on_missing=on_missing), pairs, ERROR)
    assert found.verdict == verdict
    assert found.why == "no figure in 1 of 8 pairs"
    assert "longer phase" in found.settle


def test_no_pair_at_all_is_undecided_even_where_missing_fails():
    assert evaluate(objective(on_missing="fail"), [], ERROR).verdict is Verdict.INCONCLUSIVE


def test_too_few_pairs_for_an_interval_are_undecided_and_told_the_fewest():
    found = evaluate(objective(), several(P95, [1.0] * 4), ERROR)
    assert (found.verdict, found.upper) == (Verdict.INCONCLUSIVE, inf)
    assert found.settle == "at least 6 pairs"


def test_none_of_few_requests_does_not_prove_a_small_share():
    """0 of 320 in all: at 97.5 % sure at most 1.15 %."""
    few = several("drop_ratio", [0.0] * 8, [0.0] * 8, offered=40.0)
    found = evaluate(objective("max", 0.001, "drop_ratio"), few, ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.upper == pytest.approx(1 - 0.025 ** (1 / 320))
    assert found.settle.startswith("about 3,688 requests")
    many = several("drop_ratio", [0.0] * 8, [0.0] * 8, offered=4000.0)
    assert evaluate(objective("max", 0.001, "drop_ratio"), many, ERROR).verdict is Verdict.PASS


def test_all_of_few_requests_do_not_prove_a_large_share():
    few = several("goodput_ratio", [1.0] * 8, [1.0] * 8, offered=40.0)
    found = evaluate(objective("min", 0.999, "goodput_ratio"), few, ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.lower == pytest.approx(0.025 ** (1 / 320))


def test_a_limit_that_the_control_breaks_itself_tells_nothing_of_the_fault():
    found = evaluate(objective("max", 0.5), several(P95, times(2), [0.9] * 8), ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.why == "the control itself breaks it, without any fault: 0.90s"


def test_a_limit_on_the_control_may_be_broken_by_the_control():
    found = evaluate(objective("max", 0.5, during="control"), several(P95, EIGHT, [0.9] * 8), ERROR)
    assert found.verdict is Verdict.FAIL


@pytest.mark.parametrize(("moved", "verdict"), [(1.3, "INCONCLUSIVE"), (1.05, "PASS")])
def test_a_control_that_moves_by_itself_leaves_a_ratio_undecided(moved, verdict):
    """A quarter of the way to x1.5 is x1.107."""
    pairs = several(P95, EIGHT, own_before=1 / moved)
    found = evaluate(objective(limit=1.5), pairs, ERROR)
    assert found.verdict == verdict
    assert ("the control moved by itself, x1.30" in found.why) == (verdict == "INCONCLUSIVE")


def test_a_control_without_the_percentile_in_its_short_window_is_compared_by_a_lower_one():
    p99 = objective(metric="e2e_s.p99_all")

    def moved(times):
        pairs = several(P95, EIGHT, own_before=1 / times)
        return [with_trend(pair, "e2e_s.p99_all", Trend(before=None, during=1.0)) for pair in pairs]

    assert evaluate(p99, moved(1.0), ERROR).verdict is Verdict.PASS
    assert "the control moved by itself, x1.30" in evaluate(p99, moved(1.3), ERROR).why


def test_a_baseline_is_compared_seed_by_seed():
    ours, theirs = several(P95, times(1, EIGHT)), {p.seed: p for p in several(P95, times(2, EIGHT))}
    found = evaluate(objective("max_vs_baseline", 0.6), ours, ERROR, theirs)
    assert found.verdict is Verdict.PASS
    assert set(found.each.values()) == {0.5}


def test_pairs_without_a_baseline_of_their_seed_do_not_count():
    ours = several(P95, EIGHT)
    found = evaluate(objective("max_vs_baseline", 1.1), ours, ERROR, {p.seed: p for p in ours[:6]})
    assert found.pairs == 6


def judged(objectives, pairs):
    return shared([evaluate(each, pairs, ERROR) for each in objectives], ERROR)


def test_among_many_objectives_one_outside_by_chance_is_spared():
    """6 pairs: p = 1/64, which is below 2.5 % alone, and not a fifth of it."""
    one = objective(limit=1.5)
    assert evaluate(one, several(P95, times(3)[:6]), ERROR).verdict is Verdict.FAIL
    calm = [objective(limit=9.0, id=f"calm-{number}") for number in range(4)]
    found = judged([one, *calm], several(P95, times(3)[:6]))
    assert [each.verdict for each in found] == ["INCONCLUSIVE", "PASS", "PASS", "PASS", "PASS"]
    assert "chance" in found[0].why


def test_those_that_do_not_block_take_no_share_of_the_error():
    one = objective(limit=1.5)
    warn = [objective(limit=9.0, id=f"calm-{number}", level="warn") for number in range(4)]
    assert judged([one, *warn], several(P95, times(3)[:6]))[0].verdict is Verdict.FAIL


def test_a_missing_figure_that_fails_is_no_matter_of_chance():
    pairs = [*several(P95, EIGHT[:7]), made(8, P95, None)]
    missing = evaluate(objective(on_missing="fail"), pairs, ERROR)
    calm = [evaluate(objective(id=f"c{n}"), several(P95, EIGHT), ERROR) for n in range(9)]
    assert shared([missing, *calm], ERROR)[0].verdict is Verdict.FAIL


def test_all_of_few_requests_prove_no_large_share_of_the_control_either():
    few = several("goodput_ratio", [1.0] * 8, [1.0] * 8, offered=40.0)
    found = evaluate(objective("min_vs_control", 0.999, "goodput_ratio"), few, ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.lower == pytest.approx(0.025 ** (1 / 320))
    half = several("goodput_ratio", [0.5] * 8, [0.5] * 8, offered=40.0)
    found = evaluate(objective("min_vs_control", 0.8, "goodput_ratio"), half, ERROR)
    assert (found.value, found.verdict) == (1.0, Verdict.PASS)
    assert 0.85 < found.lower < 0.9  # 160 of 320 in all: 44.4 % at least, of 50 %
    against = evaluate(
        objective("min_vs_baseline", 0.999, "goodput_ratio"), few, ERROR, {p.seed: p for p in few}
    )
    assert against.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("offered", "verdict"), [(20.0, "INCONCLUSIVE"), (60.0, "INCONCLUSIVE"), (800.0, "FAIL")]
)
@pytest.mark.parametrize(
    ("bound", "metric", "around", "control", "limit"),
    [
        ("min", "goodput_ratio", 0.88, 1.0, 0.9),
        ("min_vs_control", "goodput_ratio", 0.88, 1.0, 0.9),
        ("max", "drop_ratio", 0.12, 0.0, 0.1),
        ("max_vs_control", "drop_ratio", 0.12, 0.05, 2.0),
    ],
)
def test_a_share_fails_only_where_its_requests_put_it_outside_too(
    bound, metric, around, control, limit, offered, verdict
):
    shares = [around + 0.001 * step for step in range(-4, 4)]
    pairs = several(metric, shares, [control] * 8, offered=offered)
    found = evaluate(objective(bound, limit, metric), pairs, ERROR)
    outside = found.lower > limit if bound.startswith("max") else found.upper < limit
    assert (found.verdict, outside) == (verdict, verdict == "FAIL")


@pytest.mark.parametrize(("bound", "limit"), [("max", 0.0), ("min", 1.0)])
def test_that_there_is_never_one_is_proved_by_no_number_of_requests(bound, limit):
    metric = "drop_ratio" if bound == "max" else "goodput_ratio"
    found = evaluate(objective(bound, limit, metric), several(metric, [limit] * 8, [limit] * 8), ERROR)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.settle == "no number of requests proves that there is never one: write another limit"


def test_a_figure_that_the_control_lacks_too_is_missing_by_no_fault():
    lacking = [*several(P95, EIGHT[:7]), made(8, P95, None, None)]
    assert evaluate(objective(on_missing="fail"), lacking, ERROR).verdict is Verdict.INCONCLUSIVE
    infinite = several(P95, [inf] * 8, [inf] * 8)
    assert evaluate(objective(on_missing="fail"), infinite, ERROR).verdict is Verdict.INCONCLUSIVE
    of_it = objective("max", 2.0, during="control", on_missing="fail")
    assert evaluate(of_it, lacking, ERROR).verdict is Verdict.FAIL


def test_a_figure_that_the_baseline_lacks_is_missing_by_no_fault():
    ours = several(P95, EIGHT)
    theirs = {pair.seed: pair for pair in [*several(P95, EIGHT[:7]), made(8, P95, None)]}
    found = evaluate(objective("max_vs_baseline", 1.5, on_missing="fail"), ours, ERROR, theirs)
    assert found.verdict is Verdict.INCONCLUSIVE


def test_the_worst_latency_of_a_gate_is_the_same_percentile_in_all_pairs():
    """Every other pair has few requests fewer, and no p99; where there is one it is bad."""

    def at(q, value):
        return Measure(
            name="latency_inflation", about="tenant", quantile=q, value=value, lower=value, upper=value,
            mild=1.25, severe=2.0, deciding=True,
        )  # fmt: skip

    def pair(number):
        more = [at(0.99, 9.0)] if number % 2 else []
        measures = [at(0.5, 1.0), at(0.95, 1.1), *more]
        made_one = made(number, P95, 1.0)
        return made_one.model_copy(update={"fault": made_one.fault.model_copy(update={"measures": measures})})

    pairs = [pair(number) for number in range(8)]
    bound = objective("max", 1.5, "latency_inflation", of="")
    found = evaluate(bound, pairs, ERROR)
    assert set(found.each.values()) == {1.1}
    assert found.verdict is Verdict.PASS
    against = objective("max_vs_baseline", 1.5, "latency_inflation", of="")
    assert set(evaluate(against, pairs, ERROR, {p.seed: p for p in pairs}).each.values()) == {1.0}
