"""Several runs together have the samples that one run lacks."""

import pytest

from harness.judging.fidelity import compare
from harness.judging.pooling import pool_latencies
from harness.judging.result import RunResult, Trend
from tests.harness.judging.synthetic import judged, simulate

SEEDS = (1, 2, 3)


def of(result: RunResult, caller: str, metric: str) -> Trend:
    return next(c for c in result.callers if c.name == caller).metrics[metric]


def results() -> list[RunResult]:
    return [judged(seed=seed) for seed in SEEDS]


def test_a_run_alone_keeps_its_figures() -> None:
    assert pool_latencies([judged()], [simulate()]) == [judged()]


def test_three_runs_have_the_p99_that_one_lacks() -> None:
    pooled = pool_latencies(results(), [simulate(seed=seed) for seed in SEEDS])
    assert of(judged(), "chat", "e2e_s.p99_all").before is None
    found = of(pooled[0], "chat", "e2e_s.p99_all").before
    alone = [of(result, "chat", "e2e_s.p95_all").before or 0.0 for result in results()]
    assert found is not None
    assert found >= max(alone)


def test_every_result_gets_the_same_percentiles_and_keeps_the_rest() -> None:
    before = results()
    pooled = pool_latencies(before, [simulate(seed=seed) for seed in SEEDS])
    assert len({of(result, "tenant", "ttft_s.p50_all") for result in pooled}) == 1
    for one, other in zip(before, pooled, strict=True):
        assert of(one, "tenant", "goodput_rps") == of(other, "tenant", "goodput_rps")
        assert one.verdict is other.verdict


def test_the_pooled_median_lies_between_those_of_the_runs() -> None:
    pooled = pool_latencies(results(), [simulate(seed=seed) for seed in SEEDS])
    alone = [of(result, "chat", "e2e_s.p50_all").during or 0.0 for result in results()]
    assert min(alone) <= (of(pooled[0], "chat", "e2e_s.p50_all").during or 0.0) <= max(alone)


def test_local_requests_have_no_first_token() -> None:
    pooled = pool_latencies([judged()], [simulate()])
    names = next(c for c in pooled[0].callers if c.name == "local_api").metrics
    assert (
        names["ttft_s.p50_all"]
        == next(c for c in judged().callers if c.name == "local_api").metrics["ttft_s.p50_all"]
    )


def test_pooled_runs_are_compared_at_the_p99_too() -> None:
    pooled = pool_latencies(results(), [simulate(seed=seed) for seed in SEEDS])
    rows = compare([(result, result) for result in pooled]).rows
    assert "e2e p99" in {row.figure.label for row in rows if row.where == "chat"}


def test_a_history_that_breaks_off_is_refused() -> None:
    history = simulate()
    broken = type(history)(history.records[:-1])
    with pytest.raises(ValueError, match="breaks off"):
        pool_latencies([judged()], [broken])
