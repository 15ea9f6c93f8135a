"""What the load was while all was well: the numbers that the law needs, measured before the fault."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from harness.judging.effects.steps import mean_step_s
from harness.judging.history import CallerSetup, History
from harness.judging.pressure import HopTraffic
from harness.judging.requests import Request, sent_within
from harness.judging.windows import Window


@dataclass(frozen=True, slots=True)
class Load:
    """Rates per second of intended sending, durations in seconds."""

    faulted: int  # how many workers are in question: those that will be faulted
    step_s: float  # mean engine step over all workers
    tokens: float  # mean length of an answer
    share: float  # of the attempts of callers that can reach a worker in question, those that did
    overall_share: float  # the same of all callers
    held_s: float  # mean time of an attempt at a worker in question
    offered_rps: float  # of all inference callers


@dataclass(frozen=True, slots=True)
class Service:
    """A service on the way to the workers in question, and the rate of what passes it on the way there."""

    name: str
    slots: int
    in_use: float
    arrivals_rps: float


def measure_load(
    history: History, requests: Sequence[Request], before: Window, faulted: Collection[str]
) -> Load | None:
    """None if no answer, no step or no attempt at the workers `faulted` was seen before the fault."""
    setup = history.setup
    touching = {caller.name for caller in touching_callers(setup.callers)}
    sent = [r for r in sent_within(requests, before) if r.attempts]
    tokens = [r.ended.tokens for r in sent if r.answered and r.ended.tokens]
    attempts = [(a, r.arrived.caller in touching) for r in sent for a in r.attempts]
    there = [a.at_s - a.started_s for a, _ in attempts if a.worker in faulted]
    steps = [mean_step_s(history.gauges(name), before) for name in setup.workers]
    steps_s = [step for step in steps if step]
    if not tokens or not there or not steps_s:
        return None
    return Load(
        faulted=len(faulted),
        step_s=float(np.mean(steps_s)),
        tokens=float(np.mean(tokens)),
        share=len(there) / max(1, sum(touches for _, touches in attempts)),
        overall_share=len(there) / len(attempts),
        held_s=float(np.mean(there)),
        offered_rps=sum(caller.rate_rps for caller in setup.callers if caller.inference),
    )


def touching_callers(callers: Sequence[CallerSetup]) -> list[CallerSetup]:
    """Those that can reach a worker to be faulted."""
    return [caller for caller in callers if caller.inference and not caller.bystander]


def fills_first(
    hops: Sequence[HopTraffic], callers: Sequence[CallerSetup], before: Window, share: float
) -> Service | None:
    """The service with bounded slots whose free ones would be gone first if those workers gave none back."""
    order = [at.hop.name for at in hops]
    services = []
    for at in hops:
        passing = [c for c in touching_callers(callers) if order.index(c.hop) <= order.index(at.hop.name)]
        arrivals = share * sum(c.rate_rps for c in passing)
        if at.hop.slots is not None and arrivals > 0:
            in_use = at.holding.mean(before.start_s, before.end_s)
            services.append(Service(at.hop.name, at.hop.slots, in_use, arrivals))
    return min(
        services, key=lambda service: (service.slots - service.in_use) / service.arrivals_rps, default=None
    )
