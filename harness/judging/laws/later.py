"""Answers that come later or not at all: the worker is as fast as ever, but slots are held longer."""

from harness.judging import queueing
from harness.judging.laws.given import Given, Predict, with_travel
from harness.judging.result import Law


def _by_the_probe(given: Given) -> Law:
    return _late_answers(given, given.size)


def _by_the_attempts(given: Given) -> Law:
    """What a probe sees of it is not what an answer does, which has other bytes and other pauses."""
    held_s = given.bite.held_s
    if not given.unbounded:
        return given.unknown("how much later whole answers are shows only without a policy")
    if held_s is None:
        return given.unknown(f"no attempt at {given.bite.worker} ended during the fault")
    return _late_answers(given, max(0.0, held_s - given.load.held_s))


LAWS: dict[str, Predict] = {
    "delay": _by_the_probe,
    "mean delay": _by_the_probe,
    "accept delay": _by_the_attempts,
    "jitter": _by_the_attempts,
    "rate": _by_the_attempts,
    "gap": _by_the_attempts,
    "close delay": _by_the_attempts,
    "time to the cut": _by_the_attempts,
    "time to the reset": _by_the_attempts,
    "bytes to the cut": _by_the_attempts,
}


def _late_answers(given: Given, delay_s: float) -> Law:
    """Little's law: every answer holds its slot for the delay as well."""
    law, load, service, rest = given.law, given.load, given.service, given.others
    needed = queueing.slots_needed(service.arrivals_rps, load.held_s + delay_s, rest)
    must_fill = queueing.must_fill(service.slots, 0.0, needed)
    sign = {True: ">", False: "<", None: "near"}[queueing.verdict_of_load(needed / service.slots)]
    sum_words = (
        f"{service.arrivals_rps:.2f} * ({load.held_s:.2f} + {delay_s:.2f}) + {rest:.1f} = {needed:.1f}"
    )
    captured = queueing.captured_ratio(load.overall_share, (load.held_s + delay_s) / load.held_s)
    known = law.model_copy(
        update={"slots_needed": needed, "must_fill": must_fill, "oracle_capture": captured}
    )
    return with_travel(
        known, service, 0.0, delay_s, f"lambda*(W+delay)+rest = {sum_words} {sign} {service.slots} slots"
    )
