"""How far pressure travelled and what it cost: the measures beside the deciding ones (`bystanders.py`).

| measure             | formula                                                          | mild / severe     |
|---------------------|------------------------------------------------------------------|-------------------|
| hop_growth          | load of a hop without what the faulted workers hold, as growth   | 1.5 / 3           |
| slot_capture        | attempts on faulted workers / slots of the first service         | twice / 0.5       |
| retry_amplification | attempts / requests that needed one                              | 1.1 / 1.5         |
| contagion           | rise of the bad share among requests that never met one of them  | 0.02 / 0.10       |

Twice is twice the fair share of the faulted workers. Contagion judges by outcome: a policy changes who never
met one of them, so it is a diagnostic only.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from harness.judging.bootstrap import Blocks, bounds
from harness.judging.bystanders import LOSS, growth_measure
from harness.judging.cohort import Cohort
from harness.judging.history import name_together
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Floats
from harness.judging.pressure import HopTraffic
from harness.judging.requests import Request
from harness.judging.result import Measure
from harness.judging.side import Side

CAPTURE_SEVERE = 0.5
AMPLIFICATION = (1.1, 1.5)

Spans = Mapping[str, Sequence[tuple[float, float]]]  # starts and ends, by request


def hop_growths(before: Side, during: Side, faulted: Collection[str]) -> list[Measure]:
    """One a hop, in the order of the set-up."""
    return [
        growth_measure("hop_growth", at.hop.name, (before.blocks, was), (during.blocks, became))
        for at, was, became in zip(during.hops, _loads(before, faulted), _loads(during, faulted), strict=True)
    ]


def _loads(side: Side, faulted: Collection[str]) -> list[Floats]:
    """Of each hop the mean number present in each block, less what the faulted workers hold there."""
    held = held_spans(side.requests, faulted)
    loads = []
    for at in side.hops:
        there = held.keys() & {visit.request for visit in at.visits}
        captured = Occupancy.of(span for name in there for span in held[name])
        loads.append(at.present.means(side.blocks.edges) - captured.means(side.blocks.edges))
    return loads


def held_spans(requests: Iterable[Request], faulted: Collection[str]) -> Spans:
    """When the faulted workers held each request that met them, by its name."""
    return {
        r.arrived.request: [(a.started_s, a.at_s) for a in r.attempts if a.worker in faulted]
        for r in requests
        if r.met(faulted)
    }


def hop_depth(hops: Sequence[HopTraffic], growths: Sequence[Measure]) -> int:
    """How many services above the gateway pressure reached beyond doubt; 0: none."""
    services = [growth for at, growth in zip(hops, growths, strict=True) if at.hop.slots is not None]
    reached = [depth for depth, growth in enumerate(reversed(services), start=1) if growth.proved]
    return max(reached, default=0)


def slot_capture(slots: int, before: Side, during: Side, faulted: Sequence[str], workers: int) -> Measure:
    """Mild is twice their fair share."""
    them = frozenset(faulted)
    was, became = (_held(side, them) / slots for side in (before, during))
    lower, upper = bounds(during.blocks.means(became))
    return Measure(
        name="slot_capture", about=name_together(faulted), value=float(became.mean()),
        lower=lower, upper=upper,
        mild=2 * len(them) / workers, severe=CAPTURE_SEVERE, deciding=False,
        before=float(was.mean()), during=float(became.mean()),
    )  # fmt: skip


def _held(side: Side, workers: Collection[str]) -> Floats:
    """The mean number of attempts at `workers` in each block."""
    held = Occupancy.of(
        (a.started_s, a.at_s) for r in side.requests for a in r.attempts if a.worker in workers
    )
    return np.maximum(held.means(side.blocks.edges), 0.0)  # no -0.0


def retry_amplification(before: Side, during: Side) -> Measure | None:
    """None if no request was sent to a worker in either window."""
    (was, _), (became, often) = (_mean(*_attempts(side), side.blocks) for side in (before, during))
    if was is None or became is None:
        return None
    lower, upper = bounds(often)
    return Measure(
        name="retry_amplification", about="all", value=became, lower=lower, upper=upper,
        mild=AMPLIFICATION[0], severe=AMPLIFICATION[1], deciding=False, before=was, during=became,
    )  # fmt: skip


def _attempts(side: Side) -> tuple[Floats, Floats]:
    """When each request that was sent to a worker was to be sent, and how often it was."""
    sent = [r for r in side.requests if r.attempts]
    times = np.array([r.arrived.intended_s for r in sent], dtype=np.float64)
    return times, np.array([len(r.attempts) for r in sent], dtype=np.float64)


def contagion(before: Side, during: Side, faulted: Collection[str]) -> Measure | None:
    """None if every request met a faulted worker."""
    if not any(cohort.setup.inference for cohort in during.cohorts):
        return None
    (was, was_often), (became, became_often) = (
        _mean(*_untouched(side, faulted), side.blocks) for side in (before, during)
    )
    if was is None or became is None:
        return None
    lower, upper = bounds(became_often - was_often)
    return Measure(
        name="contagion", about="untouched requests", value=became - was, lower=lower, upper=upper,
        mild=LOSS[0], severe=LOSS[1], deciding=False, before=was, during=became,
    )  # fmt: skip


def _untouched(side: Side, faulted: Collection[str]) -> tuple[Floats, Floats]:
    """When each request that never met the fault was sent, and beside it 1 if it went wrong all the same."""
    each = [_spared(cohort, faulted) for cohort in side.cohorts if cohort.setup.inference]
    columns = np.concatenate(each, axis=1)
    times, bad = columns[:, np.argsort(columns[0], kind="stable")]
    return times, bad


def _spared(cohort: Cohort, faulted: Collection[str]) -> Floats:
    spared = np.array([not request.met(faulted) for request in cohort.requests], dtype=np.bool_)
    return np.stack([cohort.intended_s[spared], 1.0 - cohort.good[spared]])


def _mean(times: Floats, amounts: Floats, blocks: Blocks) -> tuple[float | None, Floats]:
    """The mean of `amounts` in a window, and in each replicate of it (NaN where nothing was drawn)."""
    part = blocks.window.select(times)
    times, amounts = times[part], amounts[part]
    if not len(times):
        return None, np.array([])
    counts = blocks.totals(times, np.ones_like(amounts))
    return float(amounts.mean()), blocks.totals(times, amounts) / np.where(counts > 0, counts, np.nan)
