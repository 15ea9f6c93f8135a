"""How often a gate is wrong: FAIL on identical arms, PASS of a system on its limit, no FAIL where it spreads.

`python -m bench gate_errors`, or `python -m bench.gate_errors --help` for fewer decisions and for real arms.
"""

from collections.abc import Sequence

from bench.gate_errors.noise import Noise
from bench.gate_errors.outcome import Outcome, outcome, table, undecided
from bench.gate_errors.simulated import pool
from bench.gate_errors.study import GROUPS, SEEDS, Study
from bench.report import Section
from harness.many_runs import check_jobs

DECISIONS = 1000  # no false FAIL in 300 bounds them at 1.3 % only


def measure(decisions: int = DECISIONS, jobs: int | None = None) -> Section:
    jobs = check_jobs(jobs)
    return section([found for group in GROUPS for found in examine(group, decisions, jobs)])


def section(outcomes: list[Outcome]) -> Section:
    return Section(
        title="gate_errors: how often a gate is wrong",
        how=f"virtual; the gate's own decision on 8, 10 or 12 pairs; pool of {SEEDS} seeds",
        figures=tuple(figure for each in outcomes for figure in each.figures),
        notes=(*table(outcomes), *undecided(outcomes)),
    )


def examine(studies: Sequence[Study], decisions: int, jobs: int) -> list[Outcome]:
    """All on one pool of pairs."""
    drawn = {study.name: study.decisions(decisions, Noise()) for study in studies}
    pairs = pool(studies[0], [draws for each in drawn.values() for draws in each], jobs)
    return [outcome(study, drawn[study.name], pairs) for study in studies]
