"""A worker that stands still for seconds: nearly every token is as quick as ever, and no answer is."""

from statistics import median

import pytest

from scenarios.stalled_worker import SCENARIO
from tests.scenarios.conducted import conduct, during, gaps_s, sent


def test_its_tokens_are_as_quick_as_those_of_its_peers_but_for_one_in_twenty_which_takes_seconds(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    stalled = gaps_s(sent(history, during(history)))
    peers = gaps_s(sent(history, during(history), "worker-1"))
    assert len(stalled) > 300
    assert median(stalled) == pytest.approx(median(peers))
    long = [gap_s for gap_s in stalled if gap_s > 2 * peers[-1]]
    assert 0.02 < len(long) / len(stalled) < 0.1
    assert min(long) > 0.9 * SCENARIO.fault.stall_s


def test_and_yet_hardly_an_answer_of_it_is_in_time(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    took = [each.at_s - each.started_s for each in sent(history, during(history))]
    peers = [each.at_s - each.started_s for each in sent(history, during(history), "worker-1")]
    assert min(took) > 3 * median(peers)
