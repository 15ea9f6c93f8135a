import pytest

from harness.judging.decision import decide, merge
from harness.judging.result import Guard, Measure, SloResult, Verdict

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def measure(value, lower, *, deciding=True):
    return Measure(
        name="latency_inflation", about="tenant", value=value, lower=lower, upper=9.0, mild=1.25, severe=2.0,
        deciding=deciding,
    )  # fmt: skip


def guard(voids, *, ok=False):
    return Guard(name="g", ok=ok, voids=voids, words="w")


def slo(ok):
    return SloResult(words="w", limit=1.0, value=None, ok=ok)


ROSE, DOUBTFUL, CALM = measure(3.0, 2.0), measure(1.5, 0.9), measure(1.1, 0.9)


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ((PASS, PASS), PASS),
        ((PASS, INCONCLUSIVE), INCONCLUSIVE),
        ((INCONCLUSIVE, FAIL, PASS), FAIL),
        ((), INCONCLUSIVE),
    ],
)
def test_the_worst_verdict_wins_and_nothing_at_all_is_no_pass(verdicts, worst):
    assert merge(*verdicts) is worst


@pytest.mark.parametrize(
    ("measures", "guards", "slos", "verdict"),
    [
        ([CALM], [], [], PASS),
        ([CALM, ROSE], [], [], FAIL),
        ([CALM, DOUBTFUL], [], [], INCONCLUSIVE),
        ([CALM], [guard("a pass")], [], INCONCLUSIVE),
        ([ROSE], [guard("a pass")], [], FAIL),
        ([ROSE], [guard("any verdict")], [], INCONCLUSIVE),
        ([CALM], [guard("any verdict", ok=True), guard("a pass", ok=True)], [], PASS),
        ([CALM], [], [slo(False)], FAIL),
        ([CALM], [], [slo(None)], INCONCLUSIVE),
        ([CALM], [], [slo(True)], PASS),
        ([CALM], [guard("any verdict")], [slo(False)], INCONCLUSIVE),
    ],
)
def test_measures_preconditions_and_objectives_make_one_verdict(measures, guards, slos, verdict):
    assert decide(measures, guards, slos) is verdict


def test_measures_that_only_explain_decide_nothing():
    assert decide([CALM, measure(9.0, 8.0, deciding=False)], []) is PASS


def test_a_lower_bound_beyond_mild_is_enough_even_if_the_value_itself_is_not():
    assert decide([measure(1.2, 1.3)], []) is FAIL
