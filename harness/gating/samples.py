"""Whether a percentile has the requests that it needs, told with what would do instead."""

from dataclasses import dataclass
from math import ceil

from harness.gating.demand import PHASE, Demand, expected_for, fewest, phase_for
from harness.gating.gate_file import StopIf
from harness.judging.pairs.objective import Objective, find_metric
from harness.judging.percentiles import QUANTILES, highest_permitted, label, samples_needed
from harness.scenario import Phases

_QUANTILES = {label(q): q for q in QUANTILES}


@dataclass(frozen=True, slots=True)
class Percentile:
    """A name such as `ttft_s.p99_all`, taken apart."""

    family: str
    which: str  # p99
    suffix: str  # _all, _ok or nothing

    @property
    def needed(self) -> int:
        return samples_needed(_QUANTILES[self.which])

    def lower(self, count: float) -> str:
        """The name of the highest percentile that `count` requests allow, empty if none."""
        q = highest_permitted(int(count))
        return "" if q is None else f"{self.family}.{label(q)}{self.suffix}"


def percentile(metric: str) -> Percentile | None:
    """None for a single figure."""
    if not find_metric(metric).quantiles:
        return None
    family, _, rest = metric.partition(".")
    which, mark, suffix = rest.partition("_")
    return Percentile(family, which, mark + suffix)


def too_few(objective: Objective, demand: Demand, phases: Phases) -> str:
    """What is lacking and what would do; empty if all is well."""
    asked = percentile(objective.metric)
    if asked is None:
        return ""
    during, rate_rps = objective.during, demand.rates_rps[objective.of]
    if not rate_rps:
        return _nobody(objective.of)
    needed_s = expected_for(asked.needed) / rate_rps
    longer = f"phases: {{{PHASE[during]}: {phase_for(needed_s, phases, during)}}}"
    return _lacking(asked, objective.of, rate_rps, demand.lengths_s[during], longer)


def too_few_for(guard: StopIf, demand: Demand) -> str:
    """The same of a guard, which looks back for so many seconds."""
    asked = percentile(guard.metric)
    if asked is None:
        return ""
    rate_rps = demand.rates_rps[guard.of]
    if not rate_rps:
        return _nobody(guard.of)
    needed_s = expected_for(asked.needed) / rate_rps
    return _lacking(asked, guard.of, rate_rps, guard.for_s, f"for: {ceil(needed_s)} s")


def _nobody(of: str) -> str:
    return f"no request is ever at {of}. Name another place"


def _lacking(asked: Percentile, of: str, rate_rps: float, length_s: float, longer: str) -> str:
    expected = rate_rps * length_s
    few = fewest(expected)
    if few >= asked.needed:
        return ""
    lower = asked.lower(few) or "a metric without a percentile"
    return (
        f"{asked.which} needs {asked.needed} requests; {of}, {rate_rps:.3g} a second, has about"
        f" {expected:.0f} in {length_s:.3g} s, by chance {few:.0f}. Write {longer}, or {lower}"
    )
