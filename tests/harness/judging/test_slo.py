import pytest

from harness.judging.result import Trend, Verdict
from harness.judging.slo import Slo
from harness.judging.verdict import judge
from tests.harness.judging.synthetic import simulate

METRICS = {"chat": {"e2e_s.p95_all": Trend(before=0.5, during=0.9, after=None)}}


@pytest.mark.parametrize(("limit", "ok"), [(1.0, True), (0.9, True), (0.8, False)])
def test_a_bound_is_inclusive(limit, ok):
    assert Slo(metric="e2e_s.p95_all", of="chat", at_most=limit).check(METRICS).ok is ok


def test_at_least_is_the_other_way_round():
    assert Slo(metric="e2e_s.p95_all", of="chat", at_least=0.9).check(METRICS).ok is True
    assert Slo(metric="e2e_s.p95_all", of="chat", at_least=1.0).check(METRICS).ok is False


def test_a_metric_without_enough_samples_is_neither_kept_nor_broken():
    found = Slo(metric="e2e_s.p95_all", of="chat", window="after", at_most=1.0).check(METRICS)
    assert (found.ok, found.value) == (None, None)


def test_an_unknown_metric_names_the_closest():
    with pytest.raises(ValueError, match=r"unknown metric 'e2e_s.p95'. Closest: e2e_s.p95_\w+"):
        Slo(metric="e2e_s.p95", at_most=1.0)


@pytest.mark.parametrize("bounds", [{}, {"at_most": 1.0, "at_least": 0.0}])
def test_an_slo_has_exactly_one_bound(bounds):
    with pytest.raises(ValueError, match="either at_most or at_least"):
        Slo(metric="goodput_ratio", **bounds)


def test_an_slo_on_something_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="nobody has no metric goodput_ratio"):
        Slo(metric="goodput_ratio", of="nobody", at_least=0.9).check(METRICS)


def test_a_broken_slo_fails_a_run_that_is_otherwise_contained():
    strict = Slo(metric="goodput_ratio", of="chat", at_least=0.99)
    result = judge(simulate(kind="killed"), [strict])
    assert result.verdict is Verdict.FAIL
    assert result.headline == "SLO broken: goodput_ratio of chat during the fault: at least 0.99"
    assert result.slos[0].ok is False
    assert result.reasons == [f"{result.slos[0].words}, was {result.slos[0].value:.4g}"]
