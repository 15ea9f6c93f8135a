"""What each caller saw, by metric and window. A request belongs to the window of its intended send time."""

from collections.abc import Iterable, Sequence

import numpy as np

from harness.judging.cohort import Cohort
from harness.judging.metrics import METRICS
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import QUANTILES, Floats, label, quantile
from harness.judging.requests import Request, count_outcomes
from harness.judging.result import Caller, Trend
from harness.judging.windows import Window

SHED = frozenset({"overload", "rejected"})

Figures = dict[str, float | None]


def describe(cohort: Cohort, windows: Sequence[Window | None]) -> Caller:
    """`windows`: before, during, after."""
    return Caller(
        name=cohort.name,
        hop=cohort.setup.hop,
        inference=cohort.setup.inference,
        bystander=cohort.bystander,
        good_within_s=cohort.good_within_s,
        metrics=trends([figures(cohort, window) if window else {} for window in windows]),
        outcomes=count_outcomes(cohort.requests),
    )


def trends(columns: Sequence[Figures]) -> dict[str, Trend]:
    """Figures before, during and after, side by side under their names."""
    names = dict.fromkeys(name for column in columns for name in column)
    before, during, after = columns
    return {
        name: Trend(before=before.get(name), during=during.get(name), after=after.get(name)) for name in names
    }


def figures(cohort: Cohort, window: Window) -> Figures:
    part = window.select(cohort.intended_s)
    requests, good = cohort.requests[part], cohort.good[part]
    under_way = Occupancy.of(zip(cohort.intended_s, cohort.ended_s, strict=True))
    return {
        "offered": float(len(requests)),
        "goodput_rps": float(good.sum()) / window.length_s,
        "goodput_ratio": _share(good.sum(), len(requests)),
        "drop_ratio": _share(sum(not r.answered for r in requests), len(requests)),
        "shed_ratio": _share(sum(r.ended.kind in SHED for r in requests), len(requests)),
        "good_tokens_per_s": _tokens(requests, good) / window.length_s,
        "in_flight": under_way.mean(window.start_s, window.end_s),
    } | _latencies(requests)


def _latencies(requests: Sequence[Request]) -> Figures:
    answered = [r for r in requests if r.answered]
    streamed = [r for r in answered if r.ended.first_token_s is not None]
    values = {
        "e2e_s": ([r.e2e_s for r in requests], [r.e2e_s for r in answered]),
        "e2e_service_s": ([_service_s(r) for r in requests], [_service_s(r) for r in answered]),
        "ttft_s": (
            [r.first_token_s for r in requests] if streamed else [],
            [r.first_token_s for r in streamed],
        ),
        "tpot_s": ([_tpot_s(r) for r in streamed if r.ended.tokens > 1],),
        "max_gap_s": ([r.ended.max_gap_s for r in streamed],),
        "dispatch_delay_s": ([r.arrived.at_s - r.arrived.intended_s for r in requests],),
    }
    return {key: value for name, samples in values.items() for key, value in _percentiles(name, samples)}


def _percentiles(name: str, samples: Sequence[list[float]]) -> Iterable[tuple[str, float | None]]:
    for suffix, values in zip(METRICS[name].quantiles, samples, strict=True):
        column: Floats = np.array(values, dtype=np.float64)
        yield from ((f"{name}.{label(q)}{suffix}", quantile(column, q)) for q in QUANTILES)


def _service_s(request: Request) -> float:
    return request.e2e_s - (request.arrived.at_s - request.arrived.intended_s)


def _tpot_s(request: Request) -> float:
    ended = request.ended
    if ended.first_token_s is None or ended.last_token_s is None:
        return 0.0
    return (ended.last_token_s - ended.first_token_s) / (ended.tokens - 1)


def _tokens(requests: Sequence[Request], good: Floats) -> float:
    return float(sum(r.ended.tokens * g for r, g in zip(requests, good, strict=True)))


def _share(part: float, whole: int) -> float | None:
    return float(part) / whole if whole else None
