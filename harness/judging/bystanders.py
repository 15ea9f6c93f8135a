"""The deciding measures: what callers felt that by configuration can never reach a faulted worker.

Each compares the fault window with its reference: the same window of the control, or the baseline.

| measure           | formula                                            | mild / severe      |
|-------------------|----------------------------------------------------|--------------------|
| latency_inflation | (q during + 0.1 s) / (q before + 0.1 s)            | 1.25 / 2           |
| goodput_loss      | 1 - good ratio during / good ratio before          | 0.02 / 0.10        |
| in_flight_growth  | (mean under way during + 1) / (mean before + 1)    | 1.5 / 3            |
| blast_radius      | share of the bystander callers that were hit hard  | 1 / workers / 0.25 |

The 0.1 s and the 1 are noise floors. A local request takes 2 ms, and one late wake-up of a shared machine
makes that 20 ms: ten times as much, and nothing that anyone could feel.
"""

from collections.abc import Sequence

import numpy as np

from harness.judging.bootstrap import Blocks, bounds
from harness.judging.cohort import Part
from harness.judging.percentiles import QUANTILES, Floats, highest_permitted, quantile
from harness.judging.result import Measure

LATENCY_FLOOR_S = 0.1
IN_FLIGHT_FLOOR = 1.0
LEAST_REQUESTS = 20  # in each window; with fewer, one late request costs more than twice what counts as mild

INFLATION = (1.25, 2.0)
LOSS = (0.02, 0.10)
GROWTH = (1.5, 3.0)
BLAST_SEVERE = 0.25


def enough(before: Part, during: Part) -> bool:
    """Whether the caller sent enough in both windows to be compared at all."""
    return min(before.count, during.count) >= LEAST_REQUESTS


def bystander_measures(parts: Sequence[tuple[Part, Part]], workers: int) -> list[Measure]:
    """`parts`: of each bystander with enough requests, before and during. Empty if there are none."""
    each = [caller_measures(before, during) for before, during in parts]
    radius = [_blast_radius(each, workers)] if each else []
    return [measure for measures in each for measure in measures] + radius


def caller_measures(before: Part, during: Part) -> list[Measure]:
    """Latency at all quantiles that both windows allow, goodput, load. The median and the highest decide."""
    highest = highest_permitted(min(before.count, during.count)) or 0.5
    return [
        *(_inflation(before, during, q, q in (0.5, highest)) for q in QUANTILES if q <= highest),
        _loss(before, during),
        _growth(before, during),
    ]


def _inflation(before: Part, during: Part, q: float, deciding: bool) -> Measure:
    was, was_often = _latency(before, q)
    became, became_often = _latency(during, q)
    lower, upper = bounds((became_often + LATENCY_FLOOR_S) / (was_often + LATENCY_FLOOR_S))
    return Measure(
        name="latency_inflation", about=before.cohort.name, quantile=q,
        value=(became + LATENCY_FLOOR_S) / (was + LATENCY_FLOOR_S), lower=lower, upper=upper,
        mild=INFLATION[0], severe=INFLATION[1], deciding=deciding, before=was, during=became,
    )  # fmt: skip


def _loss(before: Part, during: Part) -> Measure:
    was, was_often = _good_ratio(before)
    became, became_often = _good_ratio(during)
    with np.errstate(divide="ignore", invalid="ignore"):  # a replicate that drew no good second is left out
        lower, upper = bounds(1 - became_often / np.where(was_often > 0, was_often, np.nan))
    return Measure(
        name="goodput_loss", about=before.cohort.name,
        value=1 - became / was if was else 0.0, lower=lower, upper=upper,
        mild=LOSS[0], severe=LOSS[1], deciding=True, before=was, during=became,
    )  # fmt: skip


def _growth(before: Part, during: Part) -> Measure:
    was, became = (part.cohort.under_way.means(part.blocks.edges) for part in (before, during))
    measure = growth_measure(
        "in_flight_growth", before.cohort.name, (before.blocks, was), (during.blocks, became)
    )
    return measure.model_copy(update={"deciding": True})


def growth_measure(
    name: str, about: str, before: tuple[Blocks, Floats], during: tuple[Blocks, Floats]
) -> Measure:
    """Growth of a count, given its mean in each block of either window."""
    was, became = float(before[1].mean()), float(during[1].mean())
    replicates = (during[0].means(during[1]) + IN_FLIGHT_FLOOR) / (
        before[0].means(before[1]) + IN_FLIGHT_FLOOR
    )
    lower, upper = bounds(replicates)
    return Measure(
        name=name, about=about, value=(became + IN_FLIGHT_FLOOR) / (was + IN_FLIGHT_FLOOR), lower=lower,
        upper=upper, mild=GROWTH[0], severe=GROWTH[1], deciding=False, before=was, during=became,
    )  # fmt: skip


def _blast_radius(each: Sequence[Sequence[Measure]], workers: int) -> Measure:
    """Hit hard: beyond severe at the highest quantile, or in goodput."""
    telling = [_telling(measures) for measures in each]
    value, lower, upper = (
        float(np.mean([any(getattr(m, side) > m.severe for m in ms) for ms in telling]))
        for side in ("value", "lower", "upper")
    )
    return Measure(
        name="blast_radius", about="bystanders", value=value, lower=lower, upper=upper,
        mild=1 / max(1, workers), severe=BLAST_SEVERE, deciding=True,
    )  # fmt: skip


def _telling(measures: Sequence[Measure]) -> list[Measure]:
    """Of one caller: latency at its highest quantile, and goodput."""
    latencies = [measure for measure in measures if measure.name == "latency_inflation"]
    return latencies[-1:] + [measure for measure in measures if measure.name == "goodput_loss"]


def _latency(part: Part, q: float) -> tuple[float, Floats]:
    values = part.cohort.scored_s[part.where]
    return quantile(values, q) or 0.0, part.blocks.quantiles(part.intended_s, values, q)


def _good_ratio(part: Part) -> tuple[float, Floats]:
    good = part.cohort.good[part.where]
    offered = np.maximum(part.blocks.totals(part.intended_s, np.ones_like(good)), 1.0)
    return float(good.mean()), part.blocks.totals(part.intended_s, good) / offered
