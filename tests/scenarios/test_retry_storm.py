"""Three requests of one, and slots that wait for the next attempt."""

import pytest

from harness.judging.verdict import judge
from scenarios.retry_storm import SCENARIO
from tests.scenarios.conducted import conduct


def test_retries_without_a_budget_more_than_double_the_requests_and_fill_the_slots(tmp_path):
    result = judge(conduct(SCENARIO, "openai_client_defaults", tmp_path))
    assert result.metrics["load_amplification"].during > 2
    assert {place.name: place for place in result.places}["api"].full_after_s is not None


@pytest.mark.parametrize("preset", ["none", "contain", "grpc_defaults"])
def test_without_retries_or_with_a_budget_the_same_failures_hold_no_slot(tmp_path, preset):
    result = judge(conduct(SCENARIO, preset, tmp_path))
    assert result.metrics["load_amplification"].during <= 1.2
    assert all(place.full_after_s is None for place in result.places)


def test_no_retry_helps_anybody(tmp_path):
    result = judge(conduct(SCENARIO, "contain", tmp_path))
    assert result.metrics["touched_goodput_ratio"].during < 0.02
