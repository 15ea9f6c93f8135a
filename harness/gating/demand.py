"""How many requests a run will see in each window and place, before it: whether a percentile can be had."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Self

from harness.judging.pairs.objective import During
from harness.judging.windows import Timeline, Window
from harness.scenario import Phases, Scenario
from harness.serving.gateway import NAME as GATEWAY

CHANCE = 3.0  # standard deviations: a window with fewer than `fewest` requests is one in a thousand
MOST_OF_PHASE = 2  # times its window a phase is long: of the recovery the second half counts
PHASE: dict[During, str] = {
    "fault": "fault_s",
    "control": "fault_s",
    "before": "baseline_s",
    "after": "recovery_s",
}


@dataclass(frozen=True, slots=True)
class Demand:
    """Requests per second at each caller and hop; seconds of each window, as few as may be left of it."""

    rates_rps: Mapping[str, float]
    lengths_s: Mapping[During, float]

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """Of a scenario with the rates that it will be run at."""
        return cls(_rates(scenario), window_lengths(scenario.phases))

    def expected(self, place: str, during: During) -> float:
        return self.rates_rps[place] * self.lengths_s[during]


def fewest(expected: float) -> float:
    """As few as may come by chance where `expected` come on average: arrivals are Poisson."""
    return max(0.0, expected - CHANCE * sqrt(expected))


def expected_for(needed: int) -> float:
    """How many must come on average for `needed` to come in all likelihood: `fewest` solved for it."""
    return ((CHANCE + sqrt(CHANCE**2 + 4 * needed)) / 2) ** 2


def phase_for(needed_s: float, phases: Phases, during: During) -> int:
    """The fewest whole seconds of the phase with which the window in it is `needed_s` long."""

    def window_s(length_s: int) -> float:
        return window_lengths(replace(phases, **{PHASE[during]: length_s}))[during]

    return bisect_left(range(int(MOST_OF_PHASE * needed_s) + 2), needed_s, key=window_s)


def window_lengths(phases: Phases) -> dict[During, float]:
    """As the judge cuts them, where pressure takes its time to travel."""
    starts = phases.starts()
    spans = {
        name: Window(starts[name], starts[name] + getattr(phases, f"{name}_s"))
        for name in ("baseline", "fault", "recovery")
    }
    times = Timeline(spans, spans["fault"], installed=True, removed=True)
    after, during = times.after(), times.during(inf)
    return {
        "fault": during.length_s,
        "control": during.length_s,
        "before": times.before().length_s,
        "after": after.length_s if after else 0.0,
    }


def _rates(scenario: Scenario) -> dict[str, float]:
    """An inference request passes its service and all below it; workers share them evenly."""
    rates = {caller.name: caller.rate_rps for caller in scenario.callers}
    names = [tier.name for tier in scenario.topology.services]
    asking = [caller for caller in scenario.callers if caller.inference]
    for depth, name in enumerate(names):
        passing = sum(c.rate_rps for c in asking if names.index(c.enters) <= depth)
        rates[name] = passing + sum(
            c.rate_rps for c in scenario.callers if c.enters == name and not c.inference
        )
    rates[GATEWAY] = sum(caller.rate_rps for caller in asking)
    workers = scenario.topology.worker_names()
    return rates | {name: rates[GATEWAY] / len(workers) for name in workers}
