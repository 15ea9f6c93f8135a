from dataclasses import replace

import pytest

from harness.gating.demand import Demand
from harness.gating.gate_file import StopIf
from harness.gating.samples import percentile, too_few, too_few_for
from harness.judging.pairs.objective import During, Objective, metric_names
from harness.judging.percentiles import samples_needed
from harness.scenario import Phases

PHASES = Phases(baseline_s=20, fault_s=40, recovery_s=10)


def demand(rate_rps: float, length_s: float = 30.0) -> Demand:
    return Demand({"chat": rate_rps}, dict.fromkeys(("fault", "control", "before", "after"), length_s))


def lacking(metric: str, rate_rps: float, length_s: float = 30.0, during: During = "fault") -> str:
    objective = Objective(id="a", metric=metric, of="chat", during=during, bound="max", limit=1)
    return too_few(objective, demand(rate_rps, length_s), PHASES)


def test_a_single_figure_needs_no_number_of_requests() -> None:
    assert lacking("goodput_ratio", 0.001) == ""


@pytest.mark.parametrize(("which", "q"), [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)])
def test_a_percentile_is_refused_where_its_requests_may_be_too_few_by_chance(which: str, q: float) -> None:
    needed = samples_needed(q)
    surely = needed + 3.5 * needed**0.5 + 12
    assert lacking(f"ttft_s.{which}_all", surely / 30) == ""
    assert lacking(f"ttft_s.{which}_all", needed / 30) != ""
    assert lacking(f"hop_s.{which}", needed / 30) != ""


def test_it_is_told_what_there_is_how_long_it_takes_and_what_would_do() -> None:
    assert lacking("ttft_s.p99_ok", 10) == (
        "p99 needs 300 requests; chat, 10 a second, has about 300 in 30 s, by chance 248."
        " Write phases: {fault_s: 48}, or ttft_s.p95_ok"
    )
    assert "Write phases: {fault_s: 48}" in lacking("ttft_s.p99_ok", 10, during="control")
    assert "Write phases: {baseline_s: 37}" in lacking("ttft_s.p99_ok", 10, during="before")
    assert "Write phases: {recovery_s: 72}" in lacking("ttft_s.p99_ok", 10, during="after")


def test_what_is_told_to_be_written_is_enough() -> None:
    longer = replace(PHASES, fault_s=48)
    assert lacking("ttft_s.p99_ok", 10, 0.75 * longer.fault_s) == ""
    assert lacking("ttft_s.p99_ok", 10, 0.75 * (longer.fault_s - 1)) != ""
    assert lacking("ttft_s.p95_ok", 10) == ""


def test_where_not_even_a_median_can_be_had_another_metric_is_named() -> None:
    assert lacking("ttft_s.p99_all", 0.1).endswith(", or a metric without a percentile")


def test_where_no_request_ever_is_another_place_is_named() -> None:
    assert lacking("ttft_s.p50_all", 0) == "no request is ever at chat. Name another place"


def test_a_guard_looks_back_for_its_own_time() -> None:
    guard = StopIf(metric="e2e_s.p90_all", of="chat", over=5, for_s=3)
    assert too_few_for(guard, demand(10)) == (
        "p90 needs 30 requests; chat, 10 a second, has about 30 in 3 s, by chance 14."
        " Write for: 6 s, or e2e_s.p50_all"
    )
    assert too_few_for(replace(guard, for_s=6), demand(10)) == ""
    assert too_few_for(replace(guard, metric="drop_ratio"), demand(10)) == ""
    assert too_few_for(guard, demand(0)) == "no request is ever at chat. Name another place"


def test_every_name_with_a_percentile_is_taken_apart_and_put_together_again() -> None:
    for name in metric_names():
        found = percentile(name)
        if found is not None:
            assert f"{found.family}.{found.which}{found.suffix}" == name
            assert found.lower(10**6) == f"{found.family}.p99{found.suffix}"
    assert percentile("goodput_ratio") is None
