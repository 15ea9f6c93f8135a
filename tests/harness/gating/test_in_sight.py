from dataclasses import replace

import pytest

from harness.gating.in_sight import DURING_FAULT, out_of_sight, recovery_seen_s
from harness.judging.metrics import METRICS
from harness.judging.pairs.objective import Bound, Objective
from harness.scenario import Phases

PHASES = Phases(fault_s=20, recovery_s=30)


def told(metric: str, limit: float, bound: Bound = "max", phases: Phases = PHASES) -> str:
    return out_of_sight(Objective(id="a", metric=metric, bound=bound, limit=limit), phases)


def test_every_time_that_is_looked_for_is_a_metric_in_seconds() -> None:
    assert all(METRICS[name].unit == "s" for name in DURING_FAULT)


@pytest.mark.parametrize("metric", DURING_FAULT)
def test_a_limit_on_what_is_looked_for_during_the_fault_is_within_it(metric: str) -> None:
    assert told(metric, 20) == ""
    assert told(metric, 21) == (
        f"{metric} is looked for up to 20 s, and max 21 s is later. Write phases: {{fault_s: 21}}"
    )
    assert told(metric, 21, "min") == told(metric, 21, "max_vs_baseline") == ""


@pytest.mark.parametrize("recovery_s", [6, 30, 59, 60, 90])
def test_a_limit_on_the_recovery_is_within_what_can_be_seen_of_one(recovery_s: float) -> None:
    phases = replace(PHASES, recovery_s=recovery_s)
    seen_s = recovery_seen_s(phases)
    assert 0 < seen_s < recovery_s
    assert told("time_to_recover_s", seen_s, phases=phases) == ""
    words = told("time_to_recover_s", seen_s + 5, phases=phases)
    longer = float(words.rpartition("recovery_s: ")[2].rstrip("}"))
    assert told("time_to_recover_s", seen_s + 5, phases=replace(phases, recovery_s=longer)) == ""
    assert told("time_to_recover_s", seen_s + 5, phases=replace(phases, recovery_s=longer - 1)) != ""


def test_what_does_not_take_time_is_never_out_of_sight() -> None:
    assert told("retry_amplification", 1e9) == ""
    assert told("ttft_s.p50_all", 1e9) == ""
