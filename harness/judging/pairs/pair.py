"""One pair: the run with the fault and its control, same seed, same requests. Judged, and as data."""

from typing import Literal

from harness.judging.case import lay_out_pair
from harness.judging.history import History
from harness.judging.result import Part, RunResult
from harness.judging.verdict import judge_case

First = Literal["fault", "control"]


class PairResult(Part):
    """`fault` is judged against the control, `control` against its own baseline, in the same windows."""

    seed: int
    first: First  # which of the two ran first
    fault: RunResult
    control: RunResult


def judge_pair(fault: History, control: History, first: First = "control") -> PairResult:
    """ValueError, in one line, for a history that is incomplete or wrong, and for two that are no pair."""
    case, beside = lay_out_pair(fault, control)
    calm = judge_case(beside)
    return PairResult(seed=case.setup.seed, first=first, fault=judge_case(case, control=calm), control=calm)
