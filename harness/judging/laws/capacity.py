"""A worker that completes less: its steps are slower, it stands still at times, or it has fewer slots."""

from harness.judging import queueing
from harness.judging.laws.given import Given, Predict, with_travel
from harness.judging.laws.held import held_inside
from harness.judging.result import Law

NOTHING_LEFT = 0.01  # below this share of its capacity a worker completes nothing


def _slow_steps(given: Given) -> Law:
    return less_capacity(given, given.size, given.size)


def _as_its_steps(given: Given) -> Law:
    """Whatever makes them slow, what counts is how slow steps are as a whole."""
    factor = given.bite.slow_factor
    if factor is None:
        return given.unknown(f"no step of {given.bite.worker} was seen during the fault")
    return less_capacity(given, factor, factor)


def _standing_still(given: Given) -> Law:
    """Of the time that is left it makes full use: 1 / (1 - share) times slower."""
    left = 1 - given.size
    return held_inside(given) if left < NOTHING_LEFT else less_capacity(given, 1 / left, 1 / left)


def _slots_lost(given: Given) -> Law:
    return _slots_left(given, given.setup.max_num_seqs - given.size)


def _usable_slots(given: Given) -> Law:
    return _slots_left(given, given.size)


def _slots_left(given: Given, left: float) -> Law:
    """Who has a slot is as fast as ever: only the capacity shrinks."""
    return less_capacity(given, given.setup.max_num_seqs / left, 1.0) if left > 0 else held_inside(given)


LAWS: dict[str, Predict] = {
    "step time": _slow_steps,
    "decode step time": _as_its_steps,
    "prefill step time": _as_its_steps,
    "added step time": _as_its_steps,
    "compute time": _as_its_steps,
    "neighbour memory": _as_its_steps,
    "gpu power limit": _as_its_steps,
    "gpu clock limit": _as_its_steps,
    "stalled share": _standing_still,
    "stopped share": _standing_still,
    "slots lost": _slots_lost,
    "usable slots": _usable_slots,
}


def less_capacity(given: Given, factor: float, slower: float) -> Law:
    """Saturated if and only if rho * s > 1; below that it holds `slower` times as many as before.

    `factor` s is how many times less it completes at most. A saturated worker holds what its batch and its
    queue have room for, and refuses the rest.
    """
    setup, law, load, service = given.setup, given.law, given.load, given.service
    rho = law.rho or 0.0
    saturates = queueing.verdict_of_load(rho * factor)
    others = given.others
    most = queueing.held_at_most(load.faulted, setup.max_num_seqs, setup.max_queue)
    full = queueing.must_fill(service.slots, most, others)
    needed = queueing.slots_needed(service.arrivals_rps, load.held_s * slower, others)
    must_fill = queueing.must_fill(service.slots, 0.0, needed)
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
            "oracle_capture": queueing.captured_ratio(load.overall_share, slower, most, others),
        }
    )
    drained_rps = given.drained_rps / factor
    words = f"rho*s = {rho:.2f} * {factor:.1f} = {rho * factor:.1f} {sign}"
    return with_travel(known, service, drained_rps, load.tokens * load.step_s * slower, words)


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
