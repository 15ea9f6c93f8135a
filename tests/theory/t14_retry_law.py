"""Whether retries keep an overload alive after its cause has gone: they do if (1 + R) * lambda > mu.

The source does not say for how long a run goes on, which decides near the critical load: at lambda = 24 the
backlog is worked off at 4 % of the capacity. After 300 s three in four runs are still stuck, as it says.
"""

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

from policies.retries.retry_budget import RetryBudget
from tests.theory.overload import Overload, Story, play
from tests.theory.retry_rules import resend
from tests.theory.row import Row, Target

TARGET = Target("T14", "retry law (HotOS'21)")
KEPT = Target("T14", f"{TARGET.source}; with a link of the study's own that keeps abandoned work")
NEWEST_FIRST = Target("T14", f"{KEPT.source}, and a batcher of its own")

RETRIES = 3
LOOKED_AT_S = 5.0  # the end of a run
BIG_TRIGGER = Overload(arrivals_rps=0.0, left_ratio=0.05, fault_s=20.0, after_s=300.0)
AT_80_RPS = Overload(arrivals_rps=80.0, left_ratio=0.2, fault_s=10.0, after_s=100.0)
STUCK = {20.0: 0.0, 22.5: 0.0, 24.0: 0.75, 26.0: 1.0, 30.0: 1.0}  # share of the runs, by arrivals a second
RUNS = {20.0: 8, 22.5: 12, 24.0: 20, 26.0: 8, 30.0: 6}  # as many as the source only where chance decides


def fast() -> list[Row]:
    """A smaller trigger, and loads far from the critical one."""
    trigger = replace(BIG_TRIGGER, fault_s=4.0, after_s=19.0)
    short = replace(AT_80_RPS, fault_s=2.0, after_s=11.0)
    rows = [row for arrivals_rps in (20.0, 30.0) for row in _law_rows(trigger, arrivals_rps, 1)]
    return [*rows, *_cure_rows(short, runs=1)]


def full() -> list[Row]:
    rows = [row for arrivals_rps, runs in RUNS.items() for row in _law_rows(BIG_TRIGGER, arrivals_rps, runs)]
    return [*rows, *_cure_rows(AT_80_RPS, runs=4)]


def _law_rows(trigger: Overload, arrivals_rps: float, runs: int) -> list[Row]:
    overload = replace(trigger, arrivals_rps=arrivals_rps, layers=(resend(RETRIES),))
    stories = [play(overload, seed) for seed in range(runs)]
    stuck = [story for story in stories if not recovers(overload, story)]
    what = f"lambda = {arrivals_rps:g}/s, {RETRIES} resends"
    rows = [KEPT.share(f"{what}: stuck", STUCK[arrivals_rps], len(stuck), runs)]
    if stuck and STUCK[arrivals_rps] == 1:
        amplification = fmean(story.amplification(_looked_from_s(overload)) for story in stuck)
        rows.append(KEPT.relative(f"{what}: attempts per request when stuck", 4.0, amplification, 0.02))
    return rows


def _cure_rows(trigger: Overload, runs: int) -> list[Row]:
    """At lambda = 80/s: with retries it stays, and each of four cures lets it go."""
    retrying = replace(trigger, layers=(resend(RETRIES),))
    cases: list[tuple[Target, str, float, Callable[[], Overload]]] = [
        (KEPT, f"{RETRIES} resends", 1.0, lambda: retrying),
        (KEPT, "no retry", 0.0, lambda: trigger),
        (TARGET, "work dropped on timeout", 0.0, lambda: replace(retrying, hears=True)),
        (NEWEST_FIRST, "newest first", 0.0, lambda: replace(retrying, newest_first=True)),
        # A budget keeps state, so each run has its own.
        (KEPT, "budget of 10 %", 0.0, lambda: replace(retrying, layers=(RetryBudget(), resend(RETRIES)))),
    ]
    return [
        target.share(f"lambda = 80/s, {name}: stuck", expected, _stuck(make, runs), runs)
        for target, name, expected, make in cases
    ]


def _stuck(make: Callable[[], Overload], runs: int) -> int:
    return sum(not recovers(overload := make(), play(overload, seed)) for seed in range(runs))


def recovers(overload: Overload, story: Story) -> bool:
    """Whether requests at the end of the run are answered: nearly all are, or nearly none."""
    return story.answered_ratio(_looked_from_s(overload)) >= 0.5


def _looked_from_s(overload: Overload) -> float:
    return overload.ends_s - LOOKED_AT_S
