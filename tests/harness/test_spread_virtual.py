"""What pairs of virtual runs say of how pressure spreads, and of what stops it."""

from math import inf

import pytest

from harness.judging.result import Verdict
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_round import VirtualRound
from harness.virtual_run import VirtualRun


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    kept = {}

    def judge(scenario, preset):
        if (scenario, preset) not in kept:
            run = VirtualRun(scenario=scenario, preset=preset, seed=1, costs=TINY_CPU)
            (pair,) = VirtualRound((run,), 0).conduct(tmp_path_factory.mktemp("pair")).pairs
            kept[scenario, preset] = pair.fault
        return kept[scenario, preset]

    return judge


def measure(result, name):
    return next(m for m in result.measures if m.name == name)


def test_pressure_starts_at_the_faulted_worker_and_goes_up_hop_by_hop(judged):
    found = judged("slow_worker", "none")
    assert found.order[0].place == "worker-0"
    at = {reached.place: number for number, reached in enumerate(found.order)}
    assert at["api"] < at["front"] <= at["tenant"]
    assert "gateway" not in at  # what is there is held by the faulted worker
    assert not {"worker-1", "worker-2", "worker-3"} & set(at)
    times = [reached.after_s for reached in found.order]
    assert times == sorted(times)


def test_a_contained_fault_leaves_everybody_else_in_their_band(judged):
    found = judged("slow_worker", "timeout_breaker_shed")
    assert [reached.place for reached in found.order] == ["worker-0"]


def test_the_services_leave_their_band_when_the_law_says_that_pressure_arrives(judged):
    found = judged("slow_worker", "none")
    api = next(reached.after_s for reached in found.order if reached.place == "api")
    assert found.law.full_low_s <= api <= found.law.full_high_s


def test_without_a_policy_nothing_stops_it_and_nothing_is_back_soon(judged):
    found = judged("slow_worker", "none")
    for name in ("sending_stopped_s", "capture_ended_s", "time_to_recover_s"):
        assert measure(found, name).value == inf
    assert measure(found, "blind_s").value > 0.8 * found.setting.fault_length_s  # its health is perfect
    assert measure(found, "containment_ratio").value < 0.5
    assert measure(found, "queue_growth").proved
    assert "residual_impact" not in {m.name for m in found.measures}  # its recovery is too short to tell


def test_a_breaker_stops_it_before_pressure_can_arrive(judged):
    found = judged("slow_worker", "timeout_breaker_shed")
    assert measure(found, "sending_stopped_s").value < found.law.travel_s
    assert measure(found, "capture_ended_s").value < found.law.travel_s
    assert measure(found, "blind_s").value == 0
    assert measure(found, "time_to_recover_s").value == 0
    assert measure(found, "residual_impact").value == pytest.approx(1)
    assert measure(found, "healthy_attempts").value == pytest.approx(
        5 / 4, abs=0.05
    )  # 16 * 3/4 + 4 became 20


def test_a_dead_worker_is_known_to_be_so(judged):
    found = judged("dead_worker", "timeout_breaker_shed")
    assert found.verdict is Verdict.PASS
    assert measure(found, "blind_s").value == 0
    assert "time_to_recover_s" not in {m.name for m in found.measures}  # it stays dead


def test_without_a_fault_there_is_nothing_to_measure(judged):
    found = judged("healthy", "none")
    assert found.order == []
    assert not {"hop_depth", "blind_s", "time_to_recover_s"} & {m.name for m in found.measures}
    assert "without the fault" not in found.headline
