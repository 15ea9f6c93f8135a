"""The measures of several pairs as one: the median effect with its exact interval."""

from collections.abc import Callable, Sequence
from math import exp, inf, log
from statistics import median

from harness.judging.pairs.signed_rank import estimate
from harness.judging.result import Measure

RATIOS = frozenset(
    {
        "latency_inflation",
        "in_flight_growth",
        "hop_growth",
        "retry_amplification",
        "queue_growth",
        "healthy_attempts",
        "excess_loss",
        "untouched_inflation",
        "residual_impact",
    }
)
CENSORED = frozenset(  # more is seen of them than is proved: nobody saw the end, or that it lasts
    {"time_to_recover_s", "sending_stopped_s", "capture_ended_s", "queue_growth"}
)
ONCE = frozenset({"metastable"})  # what is a fact of one pair, and then one of all
Key = tuple[str, str, float | None]


def measures_across(each: Sequence[Sequence[Measure]], error: float) -> list[Measure]:
    """`each`: the measures of each pair. Those that all of them have, in the order of the first one.

    What happened once in any pair has happened. Of the quantiles of a latency the median decides, and the
    highest that all pairs allow. `error` is the chance that the truth lies outside of the bounds, half of it
    on either side.
    """
    tables = [{key_of(measure): measure for measure in measures} for measures in each]
    shared = [key for key in tables[0] if all(key in table for table in tables)] if tables else []
    found = [_across([table[key] for table in tables], error) for key in shared if key[0] not in ONCE]
    once = [measure for measures in each for measure in measures if measure.name in ONCE]
    return _with_highest(found) + sorted(once, key=lambda measure: measure.value)[-1:]


def comparable(each: Sequence[Sequence[Measure]]) -> list[list[Measure]]:
    """Of each pair those that all pairs have: a p95 of one is not compared with the p99 of another."""
    keys = [{key_of(measure) for measure in measures} for measures in each]
    shared = set.intersection(*keys) if keys else set()
    return [_with_highest([m for m in measures if key_of(m) in shared]) for measures in each]


def _with_highest(found: Sequence[Measure]) -> list[Measure]:
    """Of the latencies of a caller that is judged by them decide the median and the highest, the last one."""
    judged = {measure.about for measure in found if _latency(measure) and measure.deciding}
    highest = {measure.about: measure.quantile for measure in found if _latency(measure)}
    return [
        measure.model_copy(
            update={"deciding": measure.about in judged and measure.quantile in (0.5, highest[measure.about])}
        )
        if _latency(measure)
        else measure
        for measure in found
    ]


def _latency(measure: Measure) -> bool:
    return measure.name == "latency_inflation"


def key_of(measure: Measure) -> Key:
    return measure.name, measure.about, measure.quantile


def log_of(ratio: float) -> float:
    """Infinities included: of nothing it is minus infinity."""
    return log(ratio) if ratio > 0 else -inf


def _across(same: Sequence[Measure], error: float) -> Measure:
    to, back = _scale(same[0].name)
    found = estimate([to(measure.value) for measure in same], error)
    proved = found
    if same[0].name in CENSORED:
        proved = estimate([to(measure.lower) for measure in same], error)
    return same[0].model_copy(
        update={
            "value": back(found.centre),
            "lower": back(proved.lower),
            "upper": back(found.upper),
            "deciding": any(measure.deciding for measure in same),
            "before": _median([measure.before for measure in same]),
            "during": _median([measure.during for measure in same]),
        }
    )


def _scale(name: str) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Ratios are compared as logarithms: twice and half are equally far from no effect."""
    return (log_of, exp) if name in RATIOS else (float, float)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
