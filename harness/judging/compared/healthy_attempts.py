"""How many more attempts land on the healthy workers than without the fault: what moves there, and retries.

| measure          | formula                                                                 | mild / severe |
|------------------|-------------------------------------------------------------------------|---------------|
| healthy_attempts | attempts begun at healthy workers / those begun at them in the control  | 1.1 / 1.5     |

The thresholds are those of retry amplification (a retry budget of 10 %: Google SRE, Handling Overload). A
policy that benches the faulted worker moves its share on purpose: of four workers a third more.
"""

import numpy as np

from harness.judging.bootstrap import bounds
from harness.judging.case import Case
from harness.judging.percentiles import Floats
from harness.judging.result import Measure
from harness.judging.side import Side
from harness.judging.spread import AMPLIFICATION


def healthy_attempts(case: Case) -> list[Measure]:
    """Nothing where no attempt landed on them in the control."""
    healthy = frozenset(case.setup.workers).difference(case.faulted)
    was, became = (_begun(side, healthy) for side in (case.reference, case.during))
    if not was.sum():
        return []
    before, during = case.reference.blocks.means(was), case.during.blocks.means(became)
    lower, upper = bounds(during / np.where(before > 0, before, np.nan))
    return [
        Measure(
            name="healthy_attempts", about="healthy workers", value=float(became.mean() / was.mean()),
            lower=lower, upper=upper, mild=AMPLIFICATION[0], severe=AMPLIFICATION[1], deciding=False,
            before=float(was.mean()), during=float(became.mean()),
        )
    ]  # fmt: skip


def _begun(side: Side, workers: frozenset[str]) -> Floats:
    """Attempts per second begun at `workers` in each block."""
    times = [a.started_s for r in side.requests for a in r.attempts if a.worker in workers]
    edges = side.blocks.edges
    return np.asarray(np.histogram(times, edges)[0] / np.diff(edges), dtype=np.float64)
