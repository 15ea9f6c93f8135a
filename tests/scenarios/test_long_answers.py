"""Answers of very different lengths on workers that are all alike."""

import pytest

from harness.judging.history import Ended
from harness.judging.verdict import judge
from policies.outcome import Kind
from policies.presets import PRESETS
from scenarios.long_answers import SCENARIO
from tests.scenarios.conducted import conduct


def test_the_longest_take_ten_times_as_long_as_the_usual_one(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    lengths = sorted(ended.tokens for ended in history.of(Ended) if ended.request.startswith("chat"))
    assert lengths[-1] >= 10 * lengths[len(lengths) // 2]
    assert lengths[-len(lengths) // 100] >= 5 * lengths[len(lengths) // 2]


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_is_accused_under_any_preset(tmp_path, preset):
    assert judge(conduct(SCENARIO, preset, tmp_path)).metrics["false_alarms"].during == 0


def test_a_bound_on_whole_answers_cuts_the_long_ones_off_and_one_on_tokens_does_not(tmp_path):
    bounded = judge(conduct(SCENARIO, "resilience4j_defaults", tmp_path / "bounded"))
    assert bounded.outcomes[Kind.TIMEOUT] >= 10
    compared = judge(conduct(SCENARIO, "contain", tmp_path / "compared"))
    assert compared.outcomes == {Kind.OK: compared.offered}
