"""How long it took until the faulted workers did no more harm: nothing new sent there, nothing held there.

| measure           | formula: seconds from the start of the fault until, up to its end,     | mild / severe |
|-------------------|------------------------------------------------------------------------|---------------|
| sending_stopped_s | they get less than a quarter of the share of the new attempts that     | T / 3 T       |
|                   | they get in the control                                                |               |
| capture_ended_s   | attempts at them hold less than twice their fair share of the slots    | T / 3 T       |

Infinite if never. T is the law's travel time of pressure, which a policy has until slots run out; without one
10 s. Shares and not counts: where slots have run out nobody is sent anywhere. A probe now and then by a
breaker is no sending, so a window is as long as ten such attempts usually take, and at least a second.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from harness.judging.case import Case
from harness.judging.compared.certain import certain
from harness.judging.history import name_together
from harness.judging.load import touching_callers
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Flags, Floats
from harness.judging.requests import Request
from harness.judging.result import Measure
from harness.judging.windows import Window

LEFT_RATIO = 0.25  # of its usual share of the new attempts
USUAL_ATTEMPTS = 10
LEAST_S = 1.0
LOOK_S = 0.5
FAIR_SHARES = 2
NO_LAW_S = 10.0


def stopping(case: Case) -> list[Measure]:
    """Nothing of what cannot be: no attempt goes there in the control, no service has bounded slots."""
    travel_s = case.prediction.travel_s or NO_LAW_S
    about, thresholds = name_together(case.faulted), (travel_s, 3 * travel_s)
    found = {"sending_stopped_s": _sending_stopped_s(case), "capture_ended_s": _capture_ended_s(case)}
    length_s = case.times.fault.length_s
    return [
        certain(name, about, at_s, thresholds, lower=length_s if at_s == inf else at_s)
        for name, at_s in found.items()
        if at_s is not None
    ]


def _sending_stopped_s(case: Case) -> float | None:
    fault, calm = case.times.fault, case.reference.blocks.window
    there, usual = _begun(case.reference.requests, case, calm)
    if not len(there):
        return None
    share = len(there) / len(usual)
    edges = cut(fault, max(LEAST_S, USUAL_ATTEMPTS * calm.length_s / len(there)))
    at_them, at_all = (np.histogram(times, edges)[0] for times in _begun(case.requests, case, fault))
    return ended_s(edges, at_them >= LEFT_RATIO * share * at_all)  # of none at all nothing is known


def _begun(requests: Sequence[Request], case: Case, window: Window) -> tuple[list[float], list[float]]:
    """When attempts of callers that can reach them began: those at the faulted workers, and all."""
    touching = {caller.name for caller in touching_callers(case.setup.callers)}
    attempts = [a for r in requests if r.arrived.caller in touching for a in r.attempts]
    begun = [a for a in attempts if window.holds(a.started_s)]
    return [a.started_s for a in begun if a.worker in case.faulted], [a.started_s for a in begun]


def _capture_ended_s(case: Case) -> float | None:
    slots, them = case.prediction.slots, frozenset(case.faulted)
    if not slots:
        return None
    held = Occupancy.of((a.started_s, a.at_s) for r in case.requests for a in r.attempts if a.worker in them)
    edges = cut(case.times.fault, LOOK_S)
    fair = len(them) / len(case.setup.workers)
    return ended_s(edges, held.means(edges) / slots >= FAIR_SHARES * fair)


def cut(window: Window, length_s: float) -> Floats:
    """The edges of equal parts of about `length_s`, at least one."""
    return np.linspace(window.start_s, window.end_s, max(1, round(window.length_s / length_s)) + 1)


def ended_s(edges: Floats, there: Flags) -> float:
    """From the first edge to the end of the last part where it was `there`; infinite if that is the last."""
    last = np.flatnonzero(there)
    if not len(last):
        return 0.0
    return inf if last[-1] == len(there) - 1 else float(edges[last[-1] + 1] - edges[0])
