import pytest
from msgspec.structs import replace

from harness.judging.pressure import traffic
from harness.judging.spread import hop_depth
from tests.harness.judging.synthetic import CHAT, CONTAINED, LOCAL_API, LOCAL_FRONT, TENANT, judged, simulate


def measure(result, name, about):
    return next(m for m in result.measures if (m.name, m.about) == (name, about))


def place(result, name):
    return next(place for place in result.places if place.name == name)


def test_what_the_faulted_worker_holds_itself_is_no_spread():
    """Answers two seconds late: nearly twice as many requests under way, all of the rest on the one link."""
    result = judged(kind="link_latency", size=2.0)
    in_use = place(result, "gateway").metrics["in_use"]
    assert in_use.during > 1.5 * in_use.before
    growth = measure(result, "hop_growth", "gateway")
    assert growth.value < 1.2
    assert result.hop_depth == 0


def test_the_gateway_is_no_hop_above_itself():
    result = judged()
    growths = [m for m in result.measures if m.name == "hop_growth"]
    assert [growth.about for growth in growths] == ["front", "api", "gateway"]
    assert result.hop_depth == 2


def test_the_farthest_hop_reached_counts():
    hops = traffic(simulate(fault_s=1.0))
    proved, calm = measure(judged(), "hop_growth", "front"), measure(judged(kind=None), "hop_growth", "front")
    assert hop_depth(hops, [calm, calm, proved]) == 0
    assert hop_depth(hops, [calm, proved, calm]) == 1
    assert hop_depth(hops, [proved, calm, calm]) == 2


def test_local_requests_are_bystanders_whatever_their_set_up_says():
    local = replace(LOCAL_API, bystander=False)
    result = judged(callers=(CHAT, local))
    assert [caller.bystander for caller in result.callers] == [False, True]


def test_inference_that_can_reach_the_worker_is_touched():
    assert [caller.bystander for caller in judged().callers] == [False, True, True, True]


def test_the_law_counts_only_what_passes_a_service_on_its_way_to_the_worker():
    """Requests that enter below a service never hold its slots, however few it has."""
    callers = (replace(CHAT, hop="api"), replace(TENANT, hop="api"), LOCAL_FRONT, LOCAL_API)
    result = judged(callers=callers, slots=(("front", 4), ("api", 24), ("gateway", None)))
    assert result.law.hop == "api"
    assert result.hop_depth == 1
    assert measure(result, "latency_inflation", "local_front").value == pytest.approx(1, abs=0.05)


def test_what_several_faulted_workers_hold_is_told_of_them_together():
    result = judged(faulted=("worker 1", "worker 2"))
    held, one = measure(result, "slot_capture", "2 workers"), measure(judged(), "slot_capture", "worker 2")
    assert held.mild == 2 * 2 / 4
    assert held.before == pytest.approx(2 * one.before, rel=0.15)
    assert held.proved is False
    assert [place.name for place in result.places if place.faulted] == ["worker 1", "worker 2"]
    assert result.setting.faulted_workers == ["worker 1", "worker 2"]


def test_one_attempt_a_request_is_no_amplification():
    amplification = measure(judged(**CONTAINED), "retry_amplification", "all")
    assert amplification.value == 1.0
    assert not amplification.suspected
