"""How long a gate takes, before it starts: from its runs, and what one of them takes."""

from collections.abc import Sequence
from math import ceil

from harness.arms import Arm, control_names, in_arm
from harness.capacity import offered
from harness.scenario import Scenario

START_S = 4.0  # of a real run before its first request: processes, model, proxies
VIRTUAL_RPS = 4_000.0  # requests that one process runs, judges and writes per second of wall time
PROCESSES_S = 2.0  # until several of them have started


def round_s(scenarios: Sequence[Scenario], policies: int, *, real: bool) -> float:
    """One round: each fault and its control, under each policy. Seconds of one process if it is virtual."""
    names = control_names(scenarios)
    controls = [in_arm(scenarios[names.index(name)], Arm.CONTROL) for name in dict.fromkeys(names)]
    runs = [*scenarios, *controls]
    each = sum(START_S + run.phases.load_s for run in runs) if real else sum(map(_virtual_s, runs))
    return policies * each


def arms(scenarios: Sequence[Scenario], policies: int) -> int:
    """How many runs a round has."""
    return policies * (len(scenarios) + len(set(control_names(scenarios))))


def in_words(seconds: float) -> str:
    """`40 s`, `12 min`, `1.5 h`."""
    if seconds < 90:
        return f"{max(1, ceil(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _virtual_s(scenario: Scenario) -> float:
    return offered(scenario) / VIRTUAL_RPS
