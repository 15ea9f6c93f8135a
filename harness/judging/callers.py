"""What each caller saw, by metric and window. A request belongs to the window of its intended send time."""

from collections.abc import Sequence

import numpy as np

from harness.judging.cohort import Cohort
from harness.judging.metrics import METRICS
from harness.judging.percentiles import Floats, quantiles
from harness.judging.requests import count_outcomes
from harness.judging.result import Caller, Trend
from harness.judging.windows import Window

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
    good, offered = cohort.good[part], part.stop - part.start
    return {
        "offered": float(offered),
        "goodput_rps": float(good.sum()) / window.length_s,
        "goodput_ratio": _share(good.sum(), offered),
        "drop_ratio": _share((~cohort.answered[part]).sum(), offered),
        "shed_ratio": _share(cohort.shed[part].sum(), offered),
        "good_tokens_per_s": float((cohort.tokens[part] * good).sum()) / window.length_s,
        "in_flight": cohort.under_way.mean(window.start_s, window.end_s),
    } | _latencies(cohort, part)


def _latencies(cohort: Cohort, part: slice) -> Figures:
    answered, first = cohort.answered[part], cohort.first_token_s[part]
    e2e, service = cohort.e2e_s[part], cohort.e2e_s[part] - cohort.late_s[part]
    streamed = answered & np.isfinite(first)
    lost = cohort.setup.inference and not answered.any()  # then no token ever came
    longer = streamed & (cohort.tokens[part] > 1)
    values: dict[str, tuple[Floats, ...]] = {
        "e2e_s": (e2e, e2e[answered]),
        "e2e_service_s": (service, service[answered]),
        "ttft_s": (first if streamed.any() or lost else first[:0], first[streamed]),
        "tpot_s": (cohort.tpot_s[part][longer],),
        "max_gap_s": (cohort.max_gap_s[part][streamed],),
        "dispatch_delay_s": (cohort.late_s[part],),
    }
    return {
        f"{name}.{which}{suffix}": value
        for name, columns in values.items()
        for suffix, column in zip(METRICS[name].quantiles, columns, strict=True)
        for which, value in quantiles(column).items()
    }


def _share(part: float, whole: int) -> float | None:
    return float(part) / whole if whole else None
