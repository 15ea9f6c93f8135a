"""A worker that takes everything and answers nothing, with green health all the while."""

from harness.judging.verdict import judge
from scenarios.wedge import SCENARIO
from tests.scenarios.conducted import conduct, during, gauges, health_s, sent, spells


def test_its_health_is_good_throughout_and_not_one_request_is_answered(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    window = during(history)
    assert len(health_s(history)) >= 20
    assert max(health_s(history)) == 0
    held = sent(history, window)
    assert len(held) >= 15
    assert all(a.first_token_s is None or a.first_token_s >= window.end_s for a in held)


def test_it_looks_idle_while_the_slots_wait_for_it(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    late = gauges(history, "worker-0")[len(gauges(history, "worker-0")) // 2 :]
    assert len(late) >= 10
    assert all(look.values["running"] + look.values["waiting"] == 0 for look in late)
    places = {place.name: place for place in judge(history).places}
    assert places["api"].full_after_s is not None


def test_who_waits_for_errors_or_asks_its_health_finds_nothing_and_a_bound_on_waiting_does(tmp_path):
    assert spells(conduct(SCENARIO, "outlier_errors() | round_robin()", tmp_path / "errors")) == []
    assert spells(conduct(SCENARIO, "timeout_breaker", tmp_path / "breaker"))[0] < 5
