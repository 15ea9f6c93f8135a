from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from harness.gating.demand import PHASE, Demand, expected_for, fewest, phase_for, window_lengths
from harness.judging.pairs.objective import During
from harness.scenario import Caller, Phases, Scenario, Tier, Topology
from scenarios import SCENARIOS

SLOW = SCENARIOS["slow_worker"]
DURING: tuple[During, ...] = ("fault", "control", "before", "after")


def test_windows_are_as_short_as_the_judge_may_cut_them() -> None:
    phases = Phases(baseline_s=20, fault_s=40, recovery_s=10)
    assert window_lengths(phases) == {"fault": 30, "control": 30, "before": 19, "after": 5}


def test_an_inference_request_passes_all_below_its_service_and_a_local_one_only_its_own() -> None:
    callers = (
        Caller(name="chat", enters="front", rate_rps=8, max_tokens=1),
        Caller(name="batch", enters="api", rate_rps=2, max_tokens=1),
        Caller(name="page", enters="front", rate_rps=30),
        Caller(name="ping", enters="api", rate_rps=5),
    )
    topology = Topology(services=(Tier(name="front", slots=9), Tier(name="api", slots=9)), workers=5)
    scenario = Scenario(name="s", meaning="", fault=None, expects={}, callers=callers, topology=topology)
    rates = Demand.of(scenario).rates_rps
    assert rates == {
        "chat": 8, "batch": 2, "page": 30, "ping": 5, "front": 38, "api": 15, "gateway": 10,
        **{f"worker-{index}": 2 for index in range(5)},
    }  # fmt: skip


def test_expected_requests_are_rate_times_window() -> None:
    demand = Demand.of(SLOW)
    assert demand.expected("chat", "fault") == demand.rates_rps["chat"] * demand.lengths_s["fault"]


def test_fewer_than_the_fewest_come_in_about_one_window_of_a_thousand() -> None:
    counts = np.random.default_rng(1).poisson(400, 20_000)
    assert 0 < (counts < fewest(400)).mean() < 3e-3
    assert fewest(400) == 400 - 3 * sqrt(400)
    assert fewest(4) == 0


@pytest.mark.parametrize("needed", [6, 30, 60, 300])
def test_so_many_are_expected_that_the_fewest_are_enough(needed: int) -> None:
    assert fewest(expected_for(needed)) == pytest.approx(needed)


@pytest.mark.parametrize("during", DURING)
@pytest.mark.parametrize("needed_s", [0.5, 3.0, 9.0, 22.3, 400.0])
def test_a_phase_is_long_enough_for_the_window_and_hardly_longer(during: During, needed_s: float) -> None:
    length_s = phase_for(needed_s, SLOW.phases, during)
    assert window_lengths(replace(SLOW.phases, **{PHASE[during]: length_s}))[during] >= needed_s
    shorter = replace(SLOW.phases, **{PHASE[during]: length_s - 1 - 0.05 * length_s})
    assert window_lengths(shorter)[during] < needed_s
