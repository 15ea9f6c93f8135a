"""The law beside the verdict: what queueing theory says of this load and this fault, without a policy.

Everything but the size of the fault is measured before it begins.
"""

from collections.abc import Callable
from math import inf, isfinite

from harness.judging import queueing
from harness.judging.history import Setup
from harness.judging.load import Load, Service
from harness.judging.result import Bite, Law

UNBOUNDED_PRESET = "none"  # the one that the laws describe: it neither times out, nor refuses, nor benches


def predict(setup: Setup, load: Load | None, service: Service | None, bite: Bite | None) -> Law:
    """What must happen. `service` is the one that fills first; `agreement.py` adds what did happen."""
    if bite is None:
        return Law(words="no fault: nothing to predict")
    if bite.quantity not in _LAWS:
        return Law(words=f"no law is known for {bite.kind}")
    if load is None or service is None or not setup.max_num_seqs:
        return Law(
            words="no law: no step, answer, batch size or bounded service is known from before the fault"
        )
    capacity = queueing.full_batch_capacity_rps(setup.max_num_seqs, load.tokens, load.step_s)
    assumes = _assumes(setup)
    healthy = Law(
        words="",
        hop=service.name,
        slots=service.slots,
        in_use=service.in_use,
        arrivals_rps=service.arrivals_rps,
        capacity_rps=capacity,
        step_s=load.step_s,
        tokens=load.tokens,
        rho=service.arrivals_rps / load.faulted / capacity,
        applies=not assumes,
        assumes=assumes,
    )
    faulted = _LAWS[bite.quantity](setup, healthy, load, service, bite)
    fleet_rho = load.offered_rps / len(setup.workers) / capacity
    factor = inf if bite.quantity == "down" else faulted.slow_factor or 1.0
    loss = queueing.unavoidable_loss_ratio(len(setup.workers), fleet_rho, factor, load.faulted)
    return faulted.model_copy(update={"unavoidable_loss_ratio": loss})


def _assumes(setup: Setup) -> str:
    """What the laws take for granted and is not so in this run; empty if they apply."""
    shaped = setup.fault is not None and bool(setup.fault.shape)
    left_out = ["without a policy"] if setup.preset != UNBOUNDED_PRESET else []
    return " and ".join([*left_out, *(["always at its strongest"] if shaped else [])])


def _slow_steps(setup: Setup, law: Law, load: Load, service: Service, bite: Bite) -> Law:
    """Saturated if and only if rho * s > 1; below that it holds s times as many as before.

    A saturated worker holds what its batch and its queue have room for, and refuses the rest.
    """
    factor, rho = _size(bite), law.rho or 0.0
    saturates = queueing.verdict_of_load(rho * factor)
    others = service.in_use - service.arrivals_rps * load.held_s
    most = queueing.held_at_most(load.faulted, setup.max_num_seqs, setup.max_queue)
    full = queueing.must_fill(service.slots, most, others)
    needed = queueing.slots_needed(service.arrivals_rps, load.held_s * factor, others)
    must_fill = queueing.verdict_of_load(needed / service.slots)
    if saturates:
        needed, must_fill = most + others, full
    elif saturates is None:
        must_fill = False if full is False else None
    sign = _sign(saturates, load.faulted)
    if saturates is not False and not full:
        sign += _bounded(load.faulted, most, service.slots - others)
    known = law.model_copy(
        update={
            "slow_factor": factor,
            "rho_s": rho * factor,
            "slots_needed": needed,
            "must_fill": must_fill,
            "oracle_capture": queueing.captured_ratio(load.overall_share, factor, most, others),
        }
    )
    drained_rps = load.faulted * (law.capacity_rps or 0.0) / factor
    words = f"rho*s = {rho:.2f} * {factor:.1f} = {rho * factor:.1f} {sign}"
    return _with_travel(known, service, drained_rps, load.tokens * load.step_s * factor, words)


def _sign(saturates: bool | None, faulted: int) -> str:
    if saturates is None:
        return "near 1: may go either way"
    if faulted == 1:
        return "> 1: it must saturate" if saturates else "< 1: it keeps up"
    return f"> 1: all {faulted} must saturate" if saturates else f"< 1: all {faulted} keep up"


def _bounded(faulted: int, most: float, free: float) -> str:
    whose = "its batch and queue hold" if faulted == 1 else "their batches and queues hold"
    beside = f"of the {free:.0f} free slots" if most < free else f"beside {free:.0f} free slots"
    return f", but {whose} at most {most:.0f} {beside}"


def _late_answers(_setup: Setup, law: Law, load: Load, service: Service, bite: Bite) -> Law:
    """Little's law: a worker is as fast as ever, but every answer holds its slot for the delay as well."""
    delay_s = _size(bite)
    rest = service.in_use - service.arrivals_rps * load.held_s
    needed = queueing.slots_needed(service.arrivals_rps, load.held_s + delay_s, rest)
    must_fill = queueing.verdict_of_load(needed / service.slots)
    sign = {True: ">", False: "<", None: "near"}[must_fill]
    sum_words = (
        f"{service.arrivals_rps:.1f} * ({load.held_s:.2f} + {delay_s:.1f}) + {rest:.1f} = {needed:.0f}"
    )
    captured = queueing.captured_ratio(load.overall_share, (load.held_s + delay_s) / load.held_s)
    known = law.model_copy(
        update={"slots_needed": needed, "must_fill": must_fill, "oracle_capture": captured}
    )
    return _with_travel(
        known, service, 0.0, delay_s, f"lambda*(W+delay)+rest = {sum_words} {sign} {service.slots} slots"
    )


def _gone(_setup: Setup, law: Law, load: Load, service: Service, _bite: Bite) -> Law:
    rest = max(0.0, service.in_use - service.arrivals_rps * load.held_s)
    words = "a killed worker refuses at once and holds no slot: slots need not run out"
    return law.model_copy(update={"slots_needed": rest, "must_fill": False, "words": words})


_LAWS: dict[str, Callable[[Setup, Law, Load, Service, Bite], Law]] = {
    "step time": _slow_steps,
    "delay": _late_answers,
    "down": _gone,
}


def _with_travel(law: Law, service: Service, drained_rps: float, first_service_s: float, words: str) -> Law:
    if not law.must_fill:
        verdict = "may go either way" if law.must_fill is None else "need not run out"
        return law.model_copy(update={"words": f"{words}; slots of {service.name} {verdict}"})
    rate, free = service.arrivals_rps, service.slots - service.in_use
    travel = queueing.travel_s(free, rate, drained_rps, first_service_s)
    low, high = queueing.full_between_s(service.slots, service.in_use, rate, drained_rps)
    span = f"{low:.1f}-{high:.1f} s" if isfinite(high) else f"at least {low:.1f} s"
    return law.model_copy(
        update={
            "travel_s": travel if isfinite(travel) else None,
            "full_low_s": low,
            "full_high_s": high if isfinite(high) else None,
            "words": f"{words}; slots of {service.name} gone after the fault: predicted {span}",
        }
    )


def _size(bite: Bite) -> float:
    return bite.asked if bite.measured is None else bite.measured
