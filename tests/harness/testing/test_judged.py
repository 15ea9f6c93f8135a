"""Expectations judged together: which pair is told, and what keeps a verdict from being one."""

import pytest

from harness.judging.result import Guard, Verdict
from harness.testing.expectation import Expectation
from harness.testing.judged import judge_all
from harness.testing.settled import settle
from tests.harness.testing import made

TTFT = {"metric": made.P95, "of": "chat"}


def run(tmp_path, **said):
    return made.as_run(made.pairs(8, **said), tmp_path)


@pytest.mark.parametrize(("contained", "wanted"), [(True, Verdict.PASS), (False, Verdict.FAIL)])
def test_spread_may_be_what_is_expected_and_what_is_not(tmp_path, contained, wanted):
    tested = run(tmp_path, contained=contained)
    both = [Expectation(run=tested).contained(), Expectation(run=tested).spreads()]
    kept, broken = sorted(judge_all(both), key=lambda each: each.verdict is Verdict.FAIL)
    assert (kept.verdict, broken.verdict) == (Verdict.PASS, Verdict.FAIL)
    assert kept.words == ("contained" if wanted is Verdict.PASS else "spreads")


def test_the_pair_that_speaks_most_against_a_bound_is_told(tmp_path):
    tested = run(tmp_path, during=(1.0, 1.1, 1.3, 1.2))
    upper, lower = judge_all(
        [Expectation(run=tested, **TTFT).at_most(9), Expectation(run=tested, **TTFT).at_least(0.5)]
    )
    assert [tested.pairs[each.pair].seed % 4 for each in (upper, lower)] == [3, 1]


def test_what_voids_any_verdict_leaves_none_and_what_voids_a_pass_leaves_a_failure(tmp_path):
    for voids, expected in (("any verdict", Verdict.INCONCLUSIVE), ("a pass", Verdict.FAIL)):
        tested = run(tmp_path, during=(3.0,))
        guard = Guard(name="late", ok=False, voids=voids, words="the generator was late")
        object.__setattr__(tested, "cell", tested.cell.model_copy(update={"guards": [guard]}))
        bounds = Expectation(run=tested, **TTFT)
        broken, kept = judge_all([bounds.vs_control(max=1.5).vs_control(max=5)])
        assert broken.verdict is expected
        assert kept.verdict is Verdict.INCONCLUSIVE
        assert "late: the generator was late" in kept.figures


def test_several_broken_bounds_share_the_error_of_the_test(tmp_path):
    """Eight pairs are sure of one, and not of so many that one of them may be chance."""
    tested = run(tmp_path, during=(3.0,))
    one = [Expectation(run=tested, **TTFT).vs_control(max=1.5)]
    many = [Expectation(run=tested, **TTFT).vs_control(max=1.5) for _ in range(8)]
    assert [each.verdict for each in judge_all(one)] == [Verdict.FAIL]
    assert {each.verdict for each in judge_all(many)} == {Verdict.INCONCLUSIVE}


def test_a_failure_outranks_what_is_undecided_and_both_are_told(tmp_path):
    tested = run(tmp_path, during=(1.0, 2.0, 0.5, 1.9))
    noisy = Expectation(run=tested, **TTFT).vs_control(max=1.5)
    settled = settle([tested], [noisy, Expectation(run=tested).spreads()])
    assert settled.verdict is Verdict.FAIL
    assert "1 broken and 1 undecided of 2 expectations" in settled.text
    assert settle([tested], [noisy]).verdict is Verdict.INCONCLUSIVE
    assert settle([], []).verdict is Verdict.PASS
