"""A run in a few figures, for tables of many runs."""

from harness.judging.result import RunResult


def during(result: RunResult, metric: str) -> float | None:
    """A metric of the whole run during the fault; None if it has no such figure."""
    return result.metrics[metric].during if metric in result.metrics else None


def worst_latency_s(result: RunResult) -> float | None:
    """Median latency during the fault of the bystander that waits longest; None without a bystander."""
    trends = [caller.metrics.get("e2e_s.p50_all") for caller in result.callers if caller.bystander]
    return max((t.during for t in trends if t is not None and t.during is not None), default=None)
