"""Gray failure: who calls the worker suffers, and who watches it sees nothing."""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import judge
from scenarios.gray_health import SCENARIO
from tests.scenarios.conducted import conduct, during, gauges, health_s, sent, spells

BY_REPORTS = "hcl()"  # chooses by what workers say of their load


def bystanders_served(history):
    return judge(history).metrics["bystander_goodput_ratio"].during


def test_its_health_is_good_and_its_reports_are_those_of_before(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    assert len(health_s(history)) >= 20
    assert max(health_s(history)) == 0
    ages = [look.values["report_age_s"] for look in gauges(history, "worker-0")]
    assert ages == sorted(ages)
    assert ages[-1] > 0.9 * during(history).length_s


def test_who_chooses_by_reports_contains_it_only_while_they_are_true(tmp_path):
    told = conduct(SCENARIO, BY_REPORTS, tmp_path / "told", fault=SlowSteps(factor=SCENARIO.fault.factor))
    assert bystanders_served(told) > 0.99
    untold = conduct(SCENARIO, BY_REPORTS, tmp_path / "untold")
    assert bystanders_served(untold) < 0.5
    assert len(sent(untold, during(untold))) > 3 * len(sent(told, during(told)))


def test_who_measures_for_itself_finds_it_and_who_waits_for_errors_does_not(tmp_path):
    assert spells(conduct(SCENARIO, "timeout_breaker", tmp_path / "latency"))[0] < 5
    assert spells(conduct(SCENARIO, "outlier_errors() | round_robin()", tmp_path / "errors")) == []
