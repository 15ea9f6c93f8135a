"""The demonstration: slow and unprotected, slow and protected, dead and unprotected, side by side."""

from collections.abc import Sequence

from harness.config import find_preset, find_scenario
from harness.exit_codes import ExitCode
from harness.judging.result import RunResult, Verdict
from harness.suite import Planned

SURVIVORS_RATIO = (
    0.5  # "most callers survive": more than this share answered in time while the worker is dead
)


def demo_plan() -> list[Planned]:
    """Three runs with the same load, fault place and seed."""
    slow, dead = find_scenario("slow_worker"), find_scenario("dead_worker")
    none, contain = find_preset("none"), find_preset("timeout_breaker_shed")
    return [Planned(slow, none), Planned(slow, contain), Planned(dead, none)]


def broken_promises(plan: Sequence[Planned], results: Sequence[RunResult]) -> list[str]:
    """What did not come out as stated, one line each; empty if all did."""
    broken = [
        f"{planned.scenario.name} under {planned.preset.name}:"
        f" expected {planned.expected}, got {result.verdict}"
        for planned, result in zip(plan, results, strict=True)
        if result.verdict != planned.expected
    ]
    survived = results[-1].metrics["touched_goodput_ratio"].during or 0.0
    if survived <= SURVIVORS_RATIO:
        broken.append(f"with the worker dead only {survived:.0%} of its callers' requests were good")
    return broken


def demo_code(plan: Sequence[Planned], results: Sequence[RunResult]) -> ExitCode:
    """PASS if all came out as stated; the spread under `none` was. Undecided runs alone are INCONCLUSIVE."""
    if not all(result.clean for result in results):
        return ExitCode.UNCLEAN
    if not broken_promises(plan, results):
        return ExitCode.PASS
    otherwise = {r.verdict for p, r in zip(plan, results, strict=True) if r.verdict != p.expected}
    return ExitCode.INCONCLUSIVE if otherwise == {Verdict.INCONCLUSIVE} else ExitCode.FAIL
