"""Work that the fault made useless: tokens of attempts that nobody used, beyond those of the control.

| measure             | formula                                                           | mild / severe |
|---------------------|-------------------------------------------------------------------|---------------|
| wasted_token_excess | unused share of all tokens made - the same share in the control   | 0.02 / 0.10   |

A difference, since without a fault there is often none at all. Thresholds as those of a loss of goodput.
"""

from harness.judging.attempts import cost
from harness.judging.bystanders import LOSS
from harness.judging.case import Case
from harness.judging.compared.certain import certain
from harness.judging.result import Measure
from harness.judging.side import Side


def wasted_excess(case: Case) -> list[Measure]:
    """Nothing where no token was made in either window."""
    was, became = (_wasted(case, side) for side in (case.reference, case.during))
    if was is None or became is None:
        return []
    return [certain("wasted_token_excess", "all", became - was, LOSS, before=was, during=became)]


def _wasted(case: Case, side: Side) -> float | None:
    inference = frozenset(caller.name for caller in case.setup.callers if caller.inference)
    return cost(side.requests, inference, side.blocks.window, None)["wasted_token_ratio"]
