"""How pressure travelled: which places left the band that they keep without the fault, and when.

The load of a place is the number of requests there, less those that the faulted workers hold themselves; of a
worker, the attempts at it. The band reaches from nothing to the largest load that the control has in any
quarter of a second from its baseline to the end of the fault, a quarter of that, and one request more. A
place has left it when its load is beyond for a second without a break; what counts is when that second began.
"""

from collections.abc import Collection, Iterator
from typing import Literal

import numpy as np

from harness.judging.case import Case
from harness.judging.compared.stopping import cut
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Floats
from harness.judging.result import Reached
from harness.judging.spread import Spans, held_spans
from harness.judging.windows import Window

LOOK_S = 0.25
LASTING_S = 1.0
MARGIN_RATIO = 0.25
MARGIN = 1.0  # requests

Kind = Literal["caller", "service", "gateway", "worker"]


def travel(case: Case, control: Case) -> list[Reached]:
    """In the order in which they left; of those that left at once the ones nearest to the workers first."""
    fault, baseline = case.times.fault, case.times.phases["baseline"]
    edges = cut(fault, LOOK_S)
    usual = cut(case.beside(Window(baseline.start_s, fault.end_s)), LOOK_S)
    bands = {name: band(load) for name, _, load in _loads(control, case.faulted, usual)}
    lasting = round(LASTING_S / LOOK_S)
    found = [
        Reached(place=name, kind=kind, after_s=float(edges[part] - edges[0]))
        for name, kind, load in _loads(case, case.faulted, edges)
        if (part := left_at(load, bands[name], lasting)) is not None
    ]
    return sorted(found, key=lambda reached: reached.after_s)


def band(usual: Floats) -> float:
    """The highest load that is still the usual one."""
    return (1 + MARGIN_RATIO) * float(np.max(usual)) + MARGIN


def left_at(load: Floats, highest: float, lasting: int) -> int | None:
    """The first of `lasting` parts in a row that are beyond; None if there are not so many."""
    row = 0
    for part, amount in enumerate(load):
        row = row + 1 if amount > highest else 0
        if row == lasting:
            return part - lasting + 1
    return None


def _loads(case: Case, faulted: Collection[str], edges: Floats) -> Iterator[tuple[str, Kind, Floats]]:
    """By place, from the workers towards the callers, the mean load between neighbouring `edges`."""
    held = held_spans(case.requests, faulted)
    for worker in case.setup.workers:
        attempts = case.history.attempts(worker)
        yield worker, "worker", Occupancy.of((a.started_s, a.at_s) for a in attempts).means(edges)
    for at in reversed(case.hops):
        kind: Kind = "gateway" if at.hop.slots is None else "service"
        yield at.hop.name, kind, _less(at.present, {v.request for v in at.visits}, held, edges)
    for cohort in case.cohorts:
        names = {request.arrived.request for request in cohort.requests}
        yield cohort.name, "caller", _less(cohort.under_way, names, held, edges)


def _less(present: Occupancy, names: set[str], held: Spans, edges: Floats) -> Floats:
    captured = Occupancy.of(span for name in held.keys() & names for span in held[name])
    return present.means(edges) - captured.means(edges)
