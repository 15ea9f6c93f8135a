"""Pairs with figures of a test's choice, on the frame of one simulated pair whose guards all hold."""

from functools import cache

from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import Measure, Trend
from tests.harness.judging.synthetic import CONTAINED, simulate

CALLER = "tenant"
OFFERED = 400.0


@cache
def frame() -> PairResult:
    fault = simulate(seed=1, **CONTAINED)
    control = simulate(seed=1, **CONTAINED | {"kind": None, "scenario": fault.setup.scenario})
    return judge_pair(fault, control)


def made(seed, metric, fault, control=1.0, *, before=None, offered=OFFERED, own_before=None):
    """`fault` and `control`: the figure during the fault in either arm; before it both have `before`."""
    base = frame()
    return base.model_copy(
        update={
            "seed": seed,
            "fault": _with(base.fault, metric, fault, control if before is None else before, offered),
            "control": _with(
                base.control, metric, control, control if own_before is None else own_before, offered
            ),
        }
    )


def measure(value, name="latency_inflation", **changes):
    fields = {
        "name": name, "about": "tenant", "value": value, "lower": value, "upper": value, "mild": 1.25,
        "severe": 2.0, "deciding": True,
    }  # fmt: skip
    return Measure(**fields | changes)


def several(metric, faults, controls=None, **more):
    controls = [1.0] * len(faults) if controls is None else controls
    return [
        made(seed, metric, fault, control, **more)
        for seed, (fault, control) in enumerate(zip(faults, controls, strict=True), 1)
    ]


def objective(bound="max_vs_control", limit=1.5, metric="e2e_s.p95_all", **more):
    return Objective(**{"id": "calm", "metric": metric, "of": CALLER, "bound": bound, "limit": limit} | more)


def without_a_guard(pair, name, voids="any verdict"):
    guards = [
        guard.model_copy(update={"ok": False, "voids": voids, "words": f"{name} is broken"})
        if guard.name == name
        else guard
        for guard in pair.fault.guards
    ]
    assert any(not guard.ok for guard in guards)
    return pair.model_copy(update={"fault": pair.fault.model_copy(update={"guards": guards})})


def with_trend(pair, metric, trend):
    """Both arms with another figure of the caller."""
    both = {arm: _set(getattr(pair, arm), {metric: trend}) for arm in ("fault", "control")}
    return pair.model_copy(update=both)


def _with(run, metric, during, before, offered):
    return _set(
        run,
        {
            metric: Trend(before=before, during=during, after=before),
            "offered": Trend(before=offered, during=offered, after=offered),
        },
    )


def _set(run, metrics):
    callers = [
        caller.model_copy(update={"metrics": caller.metrics | metrics}) if caller.name == CALLER else caller
        for caller in run.callers
    ]
    return run.model_copy(update={"callers": callers})
