"""For how long bystanders suffered while the health checks of the faulted workers said that all was well.

| measure | formula: seconds of the fault, cut into whole ones, in which                     | mild / severe |
|---------|----------------------------------------------------------------------------------|---------------|
| blind_s | some bystander's latency is more than twice that in this second of the control   | 10 / 60       |
|         | (0.1 s added to both), and every faulted worker is up and answers health checks  |               |

Huang et al., Gray failure: the Achilles' heel of cloud-scale systems, HotOS 2017: who uses it sees what who
watches it does not. The latency is the highest quantile that a second's requests allow. An answer within a
second counts as healthy, which is the usual bound of such checks; where nobody asked, being up does.
"""

from itertools import pairwise

from harness.judging.bystanders import INFLATION
from harness.judging.case import Case
from harness.judging.compared.certain import certain
from harness.judging.compared.inflation import inflation
from harness.judging.compared.stopping import cut
from harness.judging.grouping import between
from harness.judging.history import History
from harness.judging.result import Measure
from harness.judging.windows import Window

SECOND_S = 1.0
ANSWER_S = 1.0  # a health check waits so long
LOOKS_S = 2.0  # the last look at a worker is at most so old
BLIND = (10.0, 60.0)


def blind_time(case: Case, control: Case) -> list[Measure]:
    """Nothing without a bystander that sends enough in a second to be compared."""
    edges = cut(case.times.fault, SECOND_S)
    seconds = [Window(float(a), float(b)) for a, b in pairwise(edges)]
    felt = {each: worst for each in seconds if (worst := _worst(case, control, each)) is not None}
    if not felt:
        return []
    blind = [each for each, worst in felt.items() if worst > INFLATION[1] and _healthy(case, each)]
    return [certain("blind_s", "bystanders", sum(each.length_s for each in blind), BLIND)]


def _worst(case: Case, control: Case, second: Window) -> float | None:
    """How much longer the bystander waits who suffers most; None where none can be compared."""
    then, both = case.beside(second), zip(case.cohorts, control.cohorts, strict=True)
    each = [inflation(cohort, second, calm, then) for cohort, calm in both if cohort.bystander]
    return max((known for known in each if known is not None), default=None)


def _healthy(case: Case, second: Window) -> bool:
    return all(_says_healthy(case.history, worker, second.end_s) for worker in case.faulted)


def _says_healthy(history: History, worker: str, now_s: float) -> bool:
    looks = [g for g in between(history.gauges(worker), now_s - LOOKS_S, now_s) if "up" in g.values]
    if not looks or not looks[-1].values["up"]:
        return False
    asked = history.gauges(f"health {worker}")
    answers = between(asked, now_s - LOOKS_S, now_s)
    return not asked or any(answer.values["health_s"] <= ANSWER_S for answer in answers)
