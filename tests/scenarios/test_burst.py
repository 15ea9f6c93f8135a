"""Queues at every worker, and nobody to blame."""

import pytest

from harness.judging.history import Arrived
from harness.judging.verdict import judge
from policies.outcome import Kind
from scenarios.burst import SCENARIO
from tests.scenarios.conducted import conduct, during, gauges


def test_it_fills_every_worker_and_the_queue_before_it(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    for worker in history.setup.workers:
        longest = max(look.values["waiting"] for look in gauges(history, worker))
        assert longest >= SCENARIO.topology.max_num_seqs
    burst = [a for a in history.of(Arrived) if during(history).holds(a.intended_s) and a.caller == "chat"]
    assert len(burst) > 1.5 * 16 * during(history).length_s


def test_held_against_itself_alone_it_looks_like_a_spread(tmp_path):
    result = judge(conduct(SCENARIO, "none", tmp_path))
    inflated = [m for m in result.measures if m.name == "latency_inflation" and m.about == "tenant"]
    assert any(measure.proved for measure in inflated)


@pytest.mark.parametrize("seed", [1, 2])
def test_who_compares_peers_accuses_nobody_and_a_bound_in_seconds_accuses_them_all(tmp_path, seed):
    compared = judge(conduct(SCENARIO, "contain", tmp_path / "contain", seed=seed))
    assert compared.metrics["false_alarms"].during == 0
    assert compared.outcomes == {Kind.OK: compared.offered}
    bounded = judge(conduct(SCENARIO, "timeout_breaker", tmp_path / "bounded", seed=seed))
    assert bounded.metrics["false_alarms"].during == SCENARIO.topology.workers
