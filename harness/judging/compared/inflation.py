"""How many times as long a caller's requests took in a short window as in that of the control."""

from harness.judging.bystanders import LATENCY_FLOOR_S
from harness.judging.cohort import Cohort
from harness.judging.percentiles import highest_permitted, quantile
from harness.judging.windows import Window


def inflation(cohort: Cohort, window: Window, calm: Cohort, then: Window) -> float | None:
    """At the highest quantile that both windows allow; None where they allow none."""
    now = cohort.scored_s[window.select(cohort.intended_s)]
    was = calm.scored_s[then.select(calm.intended_s)]
    highest = highest_permitted(min(len(now), len(was)))
    if highest is None:
        return None
    during, before = quantile(now, highest), quantile(was, highest)
    return ((during or 0.0) + LATENCY_FLOOR_S) / ((before or 0.0) + LATENCY_FLOOR_S)
