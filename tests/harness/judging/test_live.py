"""Figures of a run while it runs, from made-up records."""

import pytest

from harness.judging.history import Arrived, CallerSetup, Ended, Gauge, Hop, Setup, Visit
from harness.judging.live import Live, can_be_guarded

SETUP = Setup(
    scenario="s",
    preset="none",
    seed=1,
    version="1",
    hops=[Hop(name="api", slots=4)],
    workers=["worker-0"],
    callers=[CallerSetup(name="chat", hop="api", rate_rps=1, inference=True, bystander=False, max_tokens=4)],
)


def live(*records, for_s=3.0):
    found = Live(for_s)
    found.take([SETUP, *records])
    return found


def request(name, at_s, end_s=None, kind="ok"):
    yield Arrived(at_s=at_s, request=name, caller="chat", intended_s=at_s)
    if end_s is not None:
        yield Ended(at_s=end_s, request=name, kind=kind)


def test_the_share_of_those_that_ended_lately_without_an_answer():
    records = [*request("a", 0.0, 1.0, "error"), *request("b", 7.0, 8.0, "error"), *request("c", 7.0, 9.0)]
    assert live(*records).figure("drop_ratio", "chat", 10.0) == 0.5


def test_what_ended_before_the_window_is_forgotten():
    found = live(*request("a", 0.0, 1.0, "error"))
    assert found.figure("drop_ratio", "chat", 3.5) == 1.0
    assert found.figure("drop_ratio", "chat", 4.5) is None


def test_what_never_ends_is_under_way_all_the_time():
    found = live(*request("a", 0.0), *request("b", 0.0))
    assert found.figure("in_flight", "chat", 10.0) == pytest.approx(2.0)
    assert found.figure("drop_ratio", "chat", 10.0) is None


def test_the_line_in_front_of_a_hop_is_the_mean_of_its_samples():
    gauges = [
        Gauge(at_s=at, place="api", values={"in_use": 4.0, "waiting": n})
        for at, n in [(1, 9), (8, 2), (9, 4)]
    ]
    found = live(*gauges)
    assert found.figure("waiting", "api", 10.0) == 3.0
    assert found.figure("in_use", "api", 10.0) == 4.0


def test_percentiles_of_a_hop_need_their_samples():
    visits = [
        Visit(at_s=9.0, hop="api", request=str(n), arrived_s=8.0, granted_s=8.5, kind="ok") for n in range(6)
    ]
    assert live(*visits).figure("wait_s.p50", "api", 10.0) == 0.5
    assert live(*visits[:5]).figure("wait_s.p50", "api", 10.0) is None


def test_what_is_good_is_known_when_a_run_is_over():
    assert can_be_guarded("drop_ratio")
    assert can_be_guarded("ttft_s.p90_all")
    assert not can_be_guarded("goodput_ratio")
    assert not can_be_guarded("detection_s")
