"""What a pair shows beside the measures of `bystanders.py` and `spread.py`: each by its own definition.

Most explain and do not decide; that a system stays broken after its fault has gone does. A measure whose
definition asks for more than the runs hold (a longer recovery, more requests) is left out, never guessed.
"""

from harness.judging.case import Case
from harness.judging.compared.blind_time import blind_time
from harness.judging.compared.containment import containment
from harness.judging.compared.depth import depth_measure
from harness.judging.compared.healthy_attempts import healthy_attempts
from harness.judging.compared.metastable import metastable
from harness.judging.compared.queue_growth import queue_growths
from harness.judging.compared.recovery import recovery_measures
from harness.judging.compared.stopping import stopping
from harness.judging.compared.untouched import untouched_inflation
from harness.judging.compared.wasted import wasted_excess
from harness.judging.result import Measure


def compare(case: Case, depth: int) -> list[Measure]:
    """Of a run held against its control. `depth`: how many services pressure reached."""
    if case.control is None or not case.faulted:
        return []
    return [
        depth_measure(depth),
        *queue_growths(case),
        *healthy_attempts(case),
        *containment(case),
        *wasted_excess(case),
        *untouched_inflation(case),
        *stopping(case),
        *blind_time(case, case.control),
        *recovery_measures(case, case.control),
        *metastable(case, case.control),
    ]
