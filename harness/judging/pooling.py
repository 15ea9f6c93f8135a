"""Latencies of several runs of one plan together: one run alone is too short for a p99 (300 requests)."""

from collections.abc import Iterable, Sequence

import numpy as np

from harness.judging.callers import Figures, trends
from harness.judging.case import Case, lay_out
from harness.judging.history import History
from harness.judging.percentiles import QUANTILES, label, quantile
from harness.judging.requests import Request
from harness.judging.result import RunResult, Trend

WINDOWS = 3  # before, during, after


def pool_latencies(results: Sequence[RunResult], histories: Iterable[History]) -> list[RunResult]:
    """`results`, each with the percentiles of the requests of all `histories` in the place of its own.

    Each history is cut into its own windows. ValueError for a history that cannot be judged.
    """
    requests: dict[str, list[list[Request]]] = {}
    for history in histories:
        _sort(lay_out(history), requests)
    pooled = {name: trends([_figures(each) for each in columns]) for name, columns in requests.items()}
    return [_with(result, pooled) for result in results]


def _sort(case: Case, into: dict[str, list[list[Request]]]) -> None:
    """The requests of a run by caller and window."""
    for cohort in case.cohorts:
        columns = into.setdefault(cohort.name, [[] for _ in range(WINDOWS)])
        for column, window in zip(columns, case.windows, strict=True):
            if window is not None:
                column += cohort.requests[window.select(cohort.intended_s)]


def _figures(requests: Sequence[Request]) -> Figures:
    """As `callers.py` has them, a request without an answer as infinity."""
    values = {"e2e_s": [r.e2e_s for r in requests]}
    if any(r.answered and r.ended.first_token_s is not None for r in requests):
        values["ttft_s"] = [r.first_token_s for r in requests]
    return {
        f"{name}.{label(q)}_all": quantile(np.array(column, dtype=np.float64), q)
        for name, column in values.items()
        for q in QUANTILES
    }


def _with(result: RunResult, pooled: dict[str, dict[str, Trend]]) -> RunResult:
    callers = [
        caller.model_copy(update={"metrics": {**caller.metrics, **pooled[caller.name]}})
        for caller in result.callers
    ]
    return result.model_copy(update={"callers": callers})
