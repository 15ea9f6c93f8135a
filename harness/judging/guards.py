"""What must hold before a run may be called contained, or judged at all.

A spread that was measured stands even if the fault was short; nothing stands if the load itself was wrong.
"""

from collections.abc import Sequence

import numpy as np

from harness.judging import queueing
from harness.judging.bystanders import INFLATION, LATENCY_FLOOR_S, LEAST_REQUESTS
from harness.judging.cohort import GOOD_AT_LEAST_S, GOOD_FACTOR, Cohort
from harness.judging.history import Finished, Setup
from harness.judging.percentiles import highest_permitted, quantile
from harness.judging.pressure import HopTraffic
from harness.judging.result import Bite, Guard, Law, Measure, RunResult, Voids
from harness.judging.windows import Timeline, Window

LAG_LEAST_S = (INFLATION[0] - 1) * LATENCY_FLOOR_S  # so small a lag cannot lift a latency past mild alone
LAG_RATIO = 0.05  # of the bound on time to first token
LAG_MOST_S = LATENCY_FLOOR_S / 2  # a lag near the noise floor of the measures is never small
TRAVELS = 3  # times the travel time of pressure
TIMEOUTS = 10  # times the bound of an attempt
CLOCK_RATIO = 0.98  # a fault of 20 s that was up for 19.9 s is one of 20 s
BASELINE_GOOD_RATIO = 0.95
CLEANED_UP = "cleaned up"


def something_asserted(measures: Sequence[Measure]) -> Guard:
    ok = any(measure.deciding for measure in measures)
    words = (
        "bystanders were compared" if ok else "nothing was asserted: no caller is out of the fault's reach"
    )
    return Guard(name="asserted", ok=ok, voids="any verdict", words=words)


def fault_bit(bite: Bite | None) -> list[Guard]:
    """None without a fault; else whether it met anybody, had an effect, and had one as large as asked."""
    if bite is None:
        return []
    return [
        _touched(bite),
        Guard(name="fault bit", ok=bite.bit, voids="any verdict", words=bite.words),
        Guard(name="fault as strong as asked", ok=not _weak(bite), voids="a pass", words=bite.words),
    ]


def _touched(bite: Bite) -> Guard:
    words = f"{bite.touched:,} attempts met the fault"
    if not bite.touched:
        words = f"the fault touched no request: none was at {bite.worker} while it was on"
    return Guard(name="fault touched requests", ok=bite.touched > 0, voids="any verdict", words=words)


def _weak(bite: Bite) -> bool:
    """It had an effect, but a smaller one than was asked for."""
    if not bite.bit or bite.as_asked or bite.measured is None:
        return False
    return bite.measured > bite.asked if bite.less else bite.measured < bite.asked


def fault_long_enough(setup: Setup, timeline: Timeline, law: Law) -> list[Guard]:
    """A contained fault must have had the time to spread, and every bound the time to act.

    What counts is the time at its strongest, since the law beside it is about that strength.
    """
    if setup.fault is None:
        return []
    bound_s = 0.0 if _nobody_waits(law) else setup.timeout_s or 0.0
    needed_s = max(TRAVELS * (law.travel_s or 0.0), TIMEOUTS * bound_s)
    length_s = timeline.strongest_for_s
    ok = length_s >= CLOCK_RATIO * needed_s
    lasted = (
        "the fault lasted" if length_s == timeline.fault.length_s else "the fault was at its strongest for"
    )
    words = f"{lasted} {length_s:.1f} s, {needed_s:.1f} s are needed to call it contained"
    return [Guard(name="fault long enough", ok=ok, voids="a pass", words=words)]


def _nobody_waits(law: Law) -> bool:
    """Then no bound has to act. At a saturated worker they wait, even if its queue is too short to spread."""
    saturated = law.rho_s is not None and queueing.verdict_of_load(law.rho_s) is not False
    return law.must_fill is False and not saturated


def generator_on_time(
    cohorts: Sequence[Cohort], windows: Sequence[Window], measures: Sequence[Measure]
) -> Guard:
    """A generator behind its schedule measures itself; unless a spread is there even without its lag."""
    lag_s = max(_lag_s(cohorts, window) for window in windows)
    limit_s = min(LAG_MOST_S, max(LAG_LEAST_S, LAG_RATIO * _first_token_bound_s(cohorts, windows[0])))
    words = f"requests left up to {lag_s * 1e3:.1f} ms late (p99), {limit_s * 1e3:.1f} ms are allowed"
    excused = any(_beyond_lag(measure, lag_s) for measure in measures)
    voids: Voids = "a pass" if excused else "any verdict"
    return Guard(name="generator on time", ok=lag_s <= limit_s, voids=voids, words=words)


def enough_samples(bystanders: Sequence[Cohort], judged: Sequence[Cohort]) -> Guard:
    left_out = [cohort.name for cohort in bystanders if cohort not in judged]
    words = f"bystanders sent at least {LEAST_REQUESTS} requests in either window"
    if left_out:
        words = f"fewer than {LEAST_REQUESTS} requests before or during the fault: {', '.join(left_out)}"
    return Guard(name="enough samples", ok=not left_out, voids="a pass", words=words)


def baseline_good(cohorts: Sequence[Cohort], before: Window, measures: Sequence[Measure]) -> Guard:
    """A system that misses its bounds without a fault tells nothing, unless what came is beyond doubt."""
    shares = {cohort.name: cohort.good[before.select(cohort.intended_s)] for cohort in cohorts}
    ratios = {name: float(good.mean()) for name, good in shares.items() if len(good)}
    if not ratios:
        return Guard(name="baseline good", ok=False, voids="any verdict", words="no request before the fault")
    severe = any(measure.deciding and measure.lower > measure.severe for measure in measures)
    voids: Voids = "a pass" if severe else "any verdict"
    worst = min(ratios, key=lambda name: ratios[name])
    words = f"before the fault {ratios[worst]:.0%} of {worst} were good, {BASELINE_GOOD_RATIO:.0%} are needed"
    return Guard(name="baseline good", ok=ratios[worst] >= BASELINE_GOOD_RATIO, voids=voids, words=words)


def baseline_at_ease(hops: Sequence[HopTraffic], before: Window) -> Guard:
    """Where slots are gone before the fault comes, the load is too high, or the machine too slow for it."""
    full = [at.hop.name for at in hops if at.full_after_s(before.start_s, before.end_s) is not None]
    words = "no service ran out of slots before the fault"
    if full:
        words = f"{' and '.join(full)} had no free slot before the fault: too much load for this machine"
    return Guard(name="baseline at ease", ok=not full, voids="any verdict", words=words)


def control_in_order(setup: Setup, control: RunResult) -> list[Guard]:
    """The control proves that nothing but the fault is to blame: on schedule, at ease, good, and steady.

    What it may have left behind speaks against a pass, as with any run. Where there is no fault there is
    nobody to blame, and a load that changes by itself is no disturbance.
    """
    broken = [guard for guard in control.guards if not guard.ok and guard.voids == "any verdict"]
    unsteady = [measure for measure in control.measures if measure.deciding and measure.proved]
    words = "the control was on schedule, at ease and steady"
    if broken:
        words = f"in the control {broken[0].words}"
    elif unsteady and setup.fault is not None:
        words = f"the control was not steady: {unsteady[0].about} changed without a fault"
    ok = not broken and not (unsteady and setup.fault is not None)
    if ok and not control.clean:
        left = next((guard.words for guard in control.guards if guard.name == CLEANED_UP), "")
        return [Guard(name="control in order", ok=False, voids="a pass", words=f"in the control {left}")]
    return [Guard(name="control in order", ok=ok, voids="any verdict", words=words)]


def cleaned_up(setup: Setup, timeline: Timeline, last: Finished, still_there: str = "") -> Guard:
    """Seen by those who cleaned up, and by measurement: `still_there` says what is left of the fault."""
    healed = setup.fault is None or timeline.removed or not setup.fault.heals
    words = "everything of ours was seen to be gone"
    if not last.clean:
        words = f"clean-up is unverified: {last.note or 'something of ours may be left'}"
    elif not healed:
        words = "nobody confirmed that the fault was removed"
    elif still_there:
        words = f"clean-up is unverified: {still_there}"
    ok = last.clean and healed and not still_there
    return Guard(name=CLEANED_UP, ok=ok, voids="a pass", words=words)


def _lag_s(cohorts: Sequence[Cohort], window: Window) -> float:
    """The p99, or the highest percentile that the number of requests allows."""
    parts = [cohort.late_s[window.select(cohort.intended_s)] for cohort in cohorts]
    lags = np.concatenate(parts) if parts else np.array([])
    return quantile(lags, highest_permitted(len(lags)) or 0.5) or 0.0


def _first_token_bound_s(cohorts: Sequence[Cohort], before: Window) -> float:
    """Five times the baseline's median, like the bound on whole answers; 0 without streamed answers."""
    parts = [(cohort, before.select(cohort.intended_s)) for cohort in cohorts if cohort.setup.inference]
    firsts = [cohort.first_token_s[part][cohort.answered[part]] for cohort, part in parts]
    median = quantile(np.concatenate(firsts), 0.5) if firsts else None
    return 0.0 if median is None or np.isinf(median) else max(GOOD_FACTOR * median, GOOD_AT_LEAST_S)


def _beyond_lag(measure: Measure, lag_s: float) -> bool:
    if measure.name != "latency_inflation" or not measure.proved:
        return False
    before_s, during_s = measure.before or 0.0, measure.during or 0.0
    return (during_s - lag_s + LATENCY_FLOOR_S) / (before_s + LATENCY_FLOOR_S) > measure.severe
