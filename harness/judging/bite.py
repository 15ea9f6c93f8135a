"""Whether the fault bit: what it was asked to do, beside what its own site measured.

A fault without effect makes a run inconclusive, not green. One that was asked to do nothing has no effect.
"""

from collections.abc import Callable, Sequence
from math import inf

import numpy as np

from harness.judging.grouping import between
from harness.judging.history import FaultSetup, Gauge, History
from harness.judging.result import Bite
from harness.judging.windows import Timeline, Window

AS_ASKED_RATIO = 0.1  # measured within this of what was asked
LEAST_RATIO = 0.5  # below this share of the effect that was asked for it did not bite


def measure_bite(history: History, timeline: Timeline) -> Bite | None:
    """None for a run without a fault."""
    fault = history.setup.fault
    if fault is None:
        return None
    site = _SITES.get(fault.kind, _unknown)
    bite = _least([site(history, fault, worker, timeline) for worker in fault.workers])
    if timeline.installed:
        return bite
    words = f"{fault.kind} was never installed, or its site did not confirm it"
    return bite.model_copy(update={"bit": False, "as_asked": False, "words": words})


def _least(bites: Sequence[Bite]) -> Bite:
    """The fault that was asked for is the one at every worker: the one that was bitten least decides."""
    least = min(bites, key=lambda bite: -inf if bite.measured is None else bite.measured)
    if len(bites) == 1:
        return least
    return least.model_copy(update={"words": f"{least.words} (the least of {len(bites)} workers)"})


def mean_step_s(gauges: Sequence[Gauge], window: Window) -> float | None:
    """Mean duration of the engine steps that a worker finished between its first and last sample in `window`.

    None without any. A worker that was restarted counts from zero again: samples from there on are left out.
    """
    looks = (gauge.values for gauge in between(gauges, window.start_s, window.end_s))
    seen = [values for values in looks if "steps" in values and "step_seconds" in values]
    if not seen:
        return None
    last = next((i for i in range(1, len(seen)) if seen[i]["steps"] < seen[i - 1]["steps"]), len(seen)) - 1
    steps = seen[last]["steps"] - seen[0]["steps"]
    return (seen[last]["step_seconds"] - seen[0]["step_seconds"]) / steps if steps > 0 else None


def _slow_steps(history: History, fault: FaultSetup, worker: str, timeline: Timeline) -> Bite:
    """The step under way when the fault begins is left out: a policy may soon bench the worker."""
    gauges = history.gauges(worker)
    before_s = mean_step_s(gauges, timeline.before())
    settled = Window(timeline.fault.start_s + 2 * (before_s or 0.0), timeline.fault.end_s)
    during_s = mean_step_s(gauges, settled) or mean_step_s(gauges, timeline.fault)
    factor = during_s / before_s if before_s and during_s else None
    return _compare(fault, worker, "step time", "x", _asked(fault, "factor"), factor)


def _link_latency(history: History, fault: FaultSetup, worker: str, timeline: Timeline) -> Bite:
    gauges = history.gauges(f"link {worker}")
    before_s, during_s = _median_probe_s(gauges, timeline.before()), _median_probe_s(gauges, timeline.fault)
    rise_s = during_s - before_s if before_s is not None and during_s is not None else None
    return _compare(fault, worker, "delay", "s", _asked(fault, "latency_s"), rise_s)


def _killed(history: History, fault: FaultSetup, worker: str, timeline: Timeline) -> Bite:
    looks = between(history.gauges(worker), timeline.fault.start_s, timeline.fault.end_s)
    gauges = [gauge for gauge in looks if "up" in gauge.values]
    down = float(1 - gauges[-1].values["up"]) if gauges else None
    bit = down == 1
    state = {None: "was not looked at", 0.0: "was still up at the end", 1.0: "was gone"}[down]
    return Bite(
        kind=fault.kind, worker=worker, quantity="down", unit="", asked=1, measured=down,
        bit=bit, as_asked=bit, words=f"{worker} {state}",
    )  # fmt: skip


def _unknown(_history: History, fault: FaultSetup, worker: str, _timeline: Timeline) -> Bite:
    words = f"no measurement is known that would show whether {fault.kind!r} bit"
    return Bite(
        kind=fault.kind, worker=worker, quantity="effect", unit="", asked=0, measured=None,
        bit=False, as_asked=False, words=words,
    )  # fmt: skip


_SITES: dict[str, Callable[[History, FaultSetup, str, Timeline], Bite]] = {
    "slow_steps": _slow_steps,
    "link_latency": _link_latency,
    "killed": _killed,
}


def _compare(
    fault: FaultSetup, worker: str, quantity: str, unit: str, asked: float, measured: float | None
) -> Bite:
    close = measured is not None and abs(measured - asked) <= AS_ASKED_RATIO * asked
    neutral = 1.0 if unit == "x" else 0.0  # what "no effect" measures
    seen = "not measured: no sample" if measured is None else f"{_amount(measured, unit)} measured"
    idle = asked <= neutral
    wanted = f"{_amount(asked, unit)} asked" + (", which is no fault at all" if idle else "")
    return Bite(
        kind=fault.kind,
        worker=worker,
        quantity=quantity,
        unit=unit,
        asked=asked,
        measured=measured,
        bit=not idle and measured is not None and measured - neutral >= LEAST_RATIO * (asked - neutral),
        as_asked=close,
        words=f"{quantity} of {worker}: {wanted}, {seen}",
    )


def _asked(fault: FaultSetup, parameter: str) -> float:
    try:
        return fault.parameters[parameter]
    except KeyError:
        raise ValueError(
            f"the history cannot be judged: its fault {fault.kind} has no {parameter!r}"
        ) from None


def _amount(value: float, unit: str) -> str:
    return f"x{value:.3g}" if unit == "x" else f"{value:.3g} {unit}"


def _median_probe_s(gauges: Sequence[Gauge], window: Window) -> float | None:
    looks = between(gauges, window.start_s, window.end_s)
    probes = [gauge.values["probe_s"] for gauge in looks if "probe_s" in gauge.values]
    return float(np.median(probes)) if probes else None
