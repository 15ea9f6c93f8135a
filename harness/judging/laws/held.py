"""Requests that are never answered: they hold their slots for as long as the fault lasts."""

from dataclasses import replace
from math import inf

from harness.judging import queueing
from harness.judging.laws.given import Given, Predict, with_travel
from harness.judging.load import Service
from harness.judging.result import Law

ALL = 0.99


def held_inside(given: Given) -> Law:
    """By a worker whose batch and queue have room for so many. The rest is refused and holds no slot."""
    load, setup = given.load, given.setup
    most = queueing.held_at_most(load.faulted, setup.max_num_seqs, setup.max_queue)
    return _for_ever(given, 1.0, most)


def _held_outside(given: Given) -> Law:
    """On the way, or by a worker that takes everything: nothing bounds how many."""
    return _for_ever(given, min(1.0, given.size), inf)


def _for_ever(given: Given, share: float, most: float) -> Law:
    """`share` of what goes there is held, up to `most`."""
    service = given.service
    must_fill = queueing.must_fill(service.slots, most, given.others)
    endless = {"slow_factor": inf, "rho_s": inf} if share > ALL else {}
    known = {"slots_needed": most + given.others, "must_fill": must_fill}
    law = given.law.model_copy(update=endless | known)
    bound = f", at most {most:.0f}" if most < inf else ""
    part = "" if share > ALL else f"{share:.0%} of "
    words = f"{part}{service.arrivals_rps:.1f} requests/s are held until the fault ends{bound}"
    return with_travel(law, _slower(given, share), 0.0, inf, words)


def _slower(given: Given, share: float) -> Service:
    return (
        given.service
        if share > ALL
        else replace(given.service, arrivals_rps=given.service.arrivals_rps * share)
    )


LAWS: dict[str, Predict] = {
    "later tokens lost": held_inside,
    "unanswered share": _held_outside,
    "silent share": _held_outside,
}
