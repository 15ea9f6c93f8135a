"""A worker that is slow and well by turns: whoever lets it back because it is well is bitten again."""

from scenarios.flapping_worker import SCENARIO
from tests.scenarios.conducted import conduct, during, sent, spells


def test_a_breaker_that_closes_on_good_probes_has_to_open_again(tmp_path):
    history = conduct(SCENARIO, "timeout_breaker", tmp_path)
    begun = spells(history)
    assert len(begun) >= 2
    shape = SCENARIO.fault.shape
    into_the_round_s = [begun_s % (shape.on_s + shape.off_s) for begun_s in begun]
    assert max(into_the_round_s) < shape.on_s, "it is accused while it is slow, never while it is well"


def test_between_two_spells_it_was_well_and_had_its_share(tmp_path):
    history = conduct(SCENARIO, "timeout_breaker", tmp_path)
    window, begun = during(history), spells(history)
    back = [a for a in sent(history, window) if begun[0] + 10 < a.started_s - window.start_s < begun[-1]]
    answered = [each for each in back if each.kind == "ok"]
    assert len(answered) >= 5


def test_contain_brings_it_back_more_carefully_and_sends_it_fewer(tmp_path):
    breaker = conduct(SCENARIO, "timeout_breaker", tmp_path / "breaker")
    contain = conduct(SCENARIO, "contain", tmp_path / "contain")
    assert 2 * len(sent(contain, during(contain))) < len(sent(breaker, during(breaker)))
