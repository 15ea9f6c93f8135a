"""Whether a scenario has the place that an objective names, and its metric is to be had there and then."""

from harness.errors import BadInput, unknown
from harness.judging.metrics import Metric
from harness.judging.pairs.objective import During, Objective
from harness.scenario import Scenario
from harness.serving.gateway import NAME as GATEWAY

STREAMED = ("ttft_s", "tpot_s", "max_gap_s", "good_tokens_per_s")  # local requests have no tokens
AT_WORKERS = ("in_use", "waiting", "hop_s")
OF_THE_FAULT: dict[str, tuple[During, ...]] = {
    "detection_s": ("fault",),
    "false_alarms": ("fault", "control"),
}
WHOLE = {"run": "the whole run", "spread": "all bystanders together", "pair": "the pair as a whole"}


def check_place(metric: Metric, of: str, scenario: Scenario) -> None:
    """BadInput unless the metric is one of what `of` is."""
    callers = [caller.name for caller in scenario.callers]
    hops = [tier.name for tier in scenario.topology.services] + [GATEWAY]
    workers = scenario.topology.worker_names()
    if metric.of in WHOLE:
        _check_nobody(metric, of)
        return
    if metric.of == "caller":
        own = _callers_with(metric, scenario)
    else:
        own = hops + (workers if metric.name in AT_WORKERS else [])
    if not of:
        raise BadInput(f"{metric.name} is of one {metric.of}. Add of: {' or '.join(own)}")
    if of not in {*callers, *hops, *workers}:
        raise unknown("place", of, [*callers, *hops, *workers])
    if of in callers and metric.of == "caller" and of not in own:
        raise BadInput(
            f"{of} asks for no tokens and has no {metric.name}. Take e2e_s, or of: {' or '.join(own)}"
        )
    if of not in own:
        raise BadInput(f"{of} has no {metric.name}. Those that have: {', '.join(own)}")


def check_when(objective: Objective) -> None:
    """BadInput for a window that the metric does not have, or a comparison that says nothing."""
    name, of, during = objective.metric, objective.measured.of, objective.during
    windows = OF_THE_FAULT.get(name, ("fault",) if of in ("spread", "pair") else None)
    if windows is not None and during not in windows:
        raise BadInput(f"{name} has no figure for during: {during}. Write {' or '.join(windows)}")
    if objective.against != "control":
        return
    absolute = objective.bound.partition("_")[0]
    if of in ("spread", "pair") or name == "detection_s":
        raise BadInput(f"{name} is about the fault, and a control has none. Write {absolute}")
    if during == "control":
        raise BadInput(f"the control compared with itself is always 1. Write {absolute}, or during: fault")


def about_the_fault(objective: Objective) -> bool:
    """Whether it says nothing of a run without a fault."""
    of_it = objective.measured.of in ("spread", "pair") or objective.metric == "detection_s"
    return of_it or objective.against == "control"


def _check_nobody(metric: Metric, of: str) -> None:
    if of:
        raise BadInput(f"{metric.name} is of {WHOLE[metric.of]} and not of {of}. Remove of")


def _callers_with(metric: Metric, scenario: Scenario) -> list[str]:
    return [each.name for each in scenario.callers if each.inference or metric.name not in STREAMED]
