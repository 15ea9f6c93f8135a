"""Whether a run goes on for as long as an objective allows something to take.

Who is given 10 s to recover, and watched for 3, fails on what would have held.
"""

from bisect import bisect_left
from dataclasses import replace

from harness.judging.compared.recovery import IN_A_ROW, window_s
from harness.judging.pairs.objective import Objective
from harness.judging.windows import Window
from harness.scenario import Phases

DURING_FAULT = ("detection_s", "sending_stopped_s", "capture_ended_s", "blind_s")
AFTER_FAULT = "time_to_recover_s"
_LONGEST_S = 10_000


def out_of_sight(objective: Objective, phases: Phases) -> str:
    """What to write; empty if all is well."""
    if objective.against or not objective.upper:
        return ""
    if objective.metric in DURING_FAULT and objective.limit > phases.fault_s:
        return _told(objective, phases.fault_s, f"fault_s: {objective.limit:g}")
    if objective.metric == AFTER_FAULT and objective.limit > (seen_s := recovery_seen_s(phases)):
        return _told(objective, seen_s, f"recovery_s: {_recovery_for(objective.limit, phases)}")
    return ""


def recovery_seen_s(phases: Phases) -> float:
    """The longest recovery that can be told from none: some windows in a row must follow it."""
    whole = Window(0.0, phases.recovery_s)
    return whole.length_s - IN_A_ROW * window_s(whole)


def _recovery_for(limit_s: float, phases: Phases) -> int:
    return bisect_left(
        range(_LONGEST_S), limit_s, key=lambda length_s: recovery_seen_s(replace(phases, recovery_s=length_s))
    )


def _told(objective: Objective, seen_s: float, longer: str) -> str:
    return (
        f"{objective.metric} is looked for up to {seen_s:g} s, and max {objective.limit:g} s is later."
        f" Write phases: {{{longer}}}"
    )
