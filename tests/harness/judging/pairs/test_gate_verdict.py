"""The verdict of a gate from its cells, and its preconditions, each of which can force INCONCLUSIVE."""

import pytest

from harness.judging.pairs.gate_verdict import Evidence, headline, judge_cells, verdict_of
from harness.judging.result import Verdict
from tests.harness.judging.pairs.made import objective, several, without_a_guard

ERROR = 0.05
P95 = "e2e_s.p95_all"
CALM, WILD = [1.0, 1.1, 0.95, 1.05, 1.2, 1.0, 0.9, 1.1], [3.0, 3.3, 2.9, 3.1, 3.5, 3.0, 2.8, 3.2]
EDGE = [1.4, 1.6, 1.3, 1.5, 1.7, 1.45, 1.25, 1.55]


def cells(*values, objectives=None, change=lambda pairs: pairs):
    evidence = [
        Evidence(fault=f"fault-{number}", policy="contain", pairs=change(several(P95, each)), baseline={})
        for number, each in enumerate(values)
    ]
    return judge_cells(objectives or [objective()], evidence, ERROR)


def test_all_cells_must_hold():
    assert verdict_of(cells(CALM, CALM)) is Verdict.PASS
    assert verdict_of(cells(CALM, WILD)) is Verdict.FAIL
    assert verdict_of(cells(CALM, EDGE)) is Verdict.INCONCLUSIVE


def test_a_failure_outranks_what_is_undecided():
    assert verdict_of(cells(EDGE, WILD)) is Verdict.FAIL


def test_no_cell_asserts_nothing():
    assert verdict_of([]) is Verdict.INCONCLUSIVE


def test_the_headline_tells_the_first_broken_objective_and_its_fault():
    words = headline(cells(CALM, WILD))
    assert words.startswith("fault-1: calm: e2e_s.p95_all of tenant during fault x3.")
    assert "limit at most x1.50" in words


def test_the_headline_of_what_is_undecided_says_what_would_settle_it():
    assert "more pairs" in headline(cells(EDGE))


def test_a_broken_warning_does_not_fail_the_gate():
    warn = objective(limit=1.5, id="warned", level="warn")
    found = cells(WILD, objectives=[objective(limit=9.0), warn])
    assert verdict_of(found) is Verdict.PASS
    assert found[0].objectives[1].verdict is Verdict.FAIL


def test_objectives_that_only_warn_assert_nothing():
    assert verdict_of(cells(CALM, objectives=[objective(level="warn")])) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "guard", ["fault bit", "fault touched requests", "generator on time", "baseline good", "control in order"]
)
@pytest.mark.parametrize("values", [CALM, WILD])
def test_a_broken_precondition_of_most_pairs_voids_any_verdict(guard, values):
    found = cells(values, change=lambda pairs: [without_a_guard(pair, guard) for pair in pairs])
    assert verdict_of(found) is Verdict.INCONCLUSIVE
    assert headline(found) == f"0 of 8 pairs count; void: {guard} is broken"


def test_a_void_pair_is_no_evidence_and_a_quarter_of_them_may_be():
    def void(count):
        return lambda pairs: [*(without_a_guard(p, "fault bit") for p in pairs[:count]), *pairs[count:]]

    twelve = CALM + CALM[:4]
    found = cells(twelve, change=void(3))
    assert found[0].objectives[0].pairs == 9
    assert verdict_of(found) is Verdict.PASS
    assert verdict_of(cells(twelve, change=void(4))) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("guard", ["fault long enough", "fault as strong as asked", "cleaned up"])
def test_what_speaks_against_a_pass_in_one_pair_keeps_the_gate_from_passing(guard):
    def doubted(pairs):
        return [without_a_guard(pairs[0], guard, "a pass"), *pairs[1:]]

    assert verdict_of(cells(CALM, change=doubted)) is Verdict.INCONCLUSIVE
    assert verdict_of(cells(WILD, change=doubted)) is Verdict.FAIL


@pytest.mark.parametrize("guard", ["asserted", "enough samples"])
def test_what_is_about_bystanders_alone_is_no_matter_of_a_gate(guard):
    found = cells(CALM, change=lambda pairs: [without_a_guard(pair, guard) for pair in pairs])
    assert verdict_of(found) is Verdict.PASS


def test_the_error_is_shared_among_all_cells():
    """6 pairs can say that one thing is broken, and not which of eight."""
    six = WILD[:6]
    assert verdict_of(cells(six)) is Verdict.FAIL
    assert verdict_of(cells(six, *[CALM[:6]] * 7)) is Verdict.INCONCLUSIVE


def bystanders(pairs):
    return [without_a_guard(pair, "enough samples", "a pass") for pair in pairs]


def test_a_bystander_that_sent_too_little_keeps_a_gate_on_spread_from_passing_and_no_other():
    spread = objective("max", 9.0, "latency_inflation", of="")
    assert verdict_of(cells(CALM, objectives=[spread])) is Verdict.PASS
    assert verdict_of(cells(CALM, objectives=[spread], change=bystanders)) is Verdict.INCONCLUSIVE
    assert verdict_of(cells(CALM, change=bystanders)) is Verdict.PASS


def test_a_gate_and_its_cell_count_the_same_pairs():
    def void(pairs):
        return [without_a_guard(pairs[0], "fault bit"), *pairs[1:]]

    (found,) = cells(CALM, change=void)
    assert found.checks[0] == found.cell.guards[0]
    assert found.checks[0].words == "7 of 8 pairs count; void: fault bit is broken"


@pytest.mark.parametrize(("void", "verdict"), [(2, Verdict.PASS), (4, Verdict.INCONCLUSIVE)])
def test_where_most_pairs_of_the_baseline_are_void_nothing_is_compared_with_it(void, verdict):
    ours = several(P95, CALM + CALM[:4])
    theirs = [*(without_a_guard(p, "fault bit") for p in ours[:void]), *ours[void:]]
    evidence = Evidence(fault="f", policy="p", pairs=ours, baseline={pair.seed: pair for pair in theirs})
    found = judge_cells([objective("max_vs_baseline")], [evidence], ERROR)
    assert verdict_of(found) is verdict
    words = f"under the baseline {12 - void} of 12 pairs count; void: fault bit is broken"
    assert words in [guard.words for guard in found[0].checks]
    assert words not in [g.words for g in judge_cells([objective()], [evidence], ERROR)[0].checks]
