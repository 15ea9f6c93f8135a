"""A plan in words: what will run, how long it takes, and what it can prove."""

from collections.abc import Iterator, Sequence

from harness.capacity import capacity_rps
from harness.gating.baseline import Stored
from harness.gating.duration import in_words
from harness.gating.plan import Plan
from harness.gating.provable import noise_of, smallest, tight

MEASURING_S = 60.0  # the capacity of this machine


def plan_words(plan: Plan, controls: Sequence[str], *, proves: bool, stored: Stored | None) -> list[str]:
    return [f"{word:<9}{words}" for word, words in _words(plan, controls, proves=proves, stored=stored)]


def load_words(plan: Plan) -> str:
    """What is asked of the system, and which capacity it is a share of."""
    scenario, load = plan.scenarios[0], plan.gate.load_ratio
    rate = sum(caller.rate_rps for caller in scenario.callers if caller.inference)
    workers = scenario.topology.workers
    if load is None:
        return f"{rate:.3g} requests/s for {workers} workers, the scenario's own"
    whole = capacity_rps(scenario.topology, scenario.callers, plan.chosen.costs) * workers
    return (
        f"{load:.0%} of {whole:.4g} requests/s that {workers} healthy workers carry,"
        f" by costs {plan.chosen.origin}"
    )


def _words(
    plan: Plan, controls: Sequence[str], *, proves: bool, stored: Stored | None
) -> Iterator[tuple[str, str]]:
    gate = plan.gate
    faults = ", ".join(cell.fault or "its own fault" for cell in plan.candidate)
    yield "gate", f"{gate.path}: {plan.candidate[0].policy} on {gate.scenario} under {faults}"
    yield "engine", "real processes, one run at a time" if plan.real else f"virtual time, {plan.jobs} at once"
    yield "load", _load(plan)
    if plan.baseline:
        yield "baseline", f"{plan.baseline[0].policy}, measured in this job"
    elif stored is not None:
        yield "baseline", f"{gate.baseline.result if gate.baseline else ''}, pairs of an earlier job"
    elif gate.baseline is not None:
        yield "baseline", "not run: no objective asks for it"
    yield "pairs", f"{_looks(plan)}, {plan.runs} runs for each, {_sharing(plan.decisions)} the error"
    yield "time", _time(plan, controls, proves=proves)
    yield "proves", _provable(plan)
    for each in tight(plan):
        yield "note", f"{each.id}: x{each.limit:g} is near to what {plan.looks.most} pairs can prove"


def _looks(plan: Plan) -> str:
    """And why they begin later than the file says."""
    after, least = plan.looks.after, plan.gate.pairs.least
    words = f"looks after {' and '.join(map(str, after))}"
    if after[0] <= least:
        return words
    need = "decision needs" if plan.decisions == 1 else "decisions need"
    return f"{words} ({plan.decisions} {need} a first look later than {least})"


def _sharing(decisions: int) -> str:
    return "1 decision has all of" if decisions == 1 else f"{decisions} decisions share"


def _load(plan: Plan) -> str:
    if plan.measures_capacity:
        return f"{plan.gate.load_ratio:.0%} of the healthy capacity, which is measured first (a minute)"
    return load_words(plan)


def _time(plan: Plan, controls: Sequence[str], *, proves: bool) -> str:
    first, last = plan.looks.after[0], plan.looks.most
    more = MEASURING_S if plan.measures_capacity else 0.0
    low, high = (in_words(plan.seconds(pairs) + more) for pairs in (first, last))
    words = f"about {low}" if low == high else f"about {low} to {high}"
    extras = [*(f"the arm {control}" for control in controls), *(["the proof"] if proves else [])]
    return f"{words}, and {' and '.join(extras)}" if extras else words


def _provable(plan: Plan) -> str:
    if not plan.real:
        return "exact: the same seed makes the same run, what differs is the chance of its seeds"
    whence = "assumed: --noise says otherwise" if plan.noise_ratio is None else "as given"
    noise = f"{noise_of(plan):.0%} noise between pairs ({whence})"
    return f"latency ratios from x{smallest(plan):.2f} on, at {noise}"
