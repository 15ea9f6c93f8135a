"""A plan within a time: as many pairs as it allows, or a refusal that says what would do."""

import re
from dataclasses import replace

from harness.errors import BadInput
from harness.gating.duration import in_words
from harness.gating.plan import Plan
from harness.gating.quantity import read_seconds, read_share
from harness.gating.written import FEWEST_PAIRS
from harness.judging.pairs.looks import Looks

_PLAIN = re.compile(r"\d+\.?\d*|\.\d+", re.ASCII)


def read_budget(text: str) -> float:
    """Seconds of `5m`, `90 s`, `1.5h`."""
    try:
        seconds = read_seconds(re.sub(r"(\d\s*)m$", r"\1min", text.strip()))
    except ValueError as wrong:
        raise BadInput(f"--budget: {wrong}, or 5m") from wrong
    if seconds == 0:
        raise BadInput("--budget: 0 is no time. Write one such as 5m")
    return seconds


def read_noise(text: str) -> float:
    """A share of `5%` or `0.05`."""
    try:
        return read_share(float(text) if _PLAIN.fullmatch(text) else text)
    except ValueError as wrong:
        raise BadInput(f"--noise: {wrong}") from wrong


def within(plan: Plan, budget_s: float) -> Plan:
    """With as many pairs as the budget allows. BadInput if that is too few to decide."""
    able = [looks for most in range(FEWEST_PAIRS, plan.gate.pairs.most + 1) if (looks := _looks(plan, most))]
    affordable = [looks for looks in able if plan.seconds(looks.most) <= budget_s]
    if affordable:
        return replace(plan, looks=affordable[-1])
    fewest = able[0].most
    raise BadInput(
        f"--budget {in_words(budget_s)} is too short: {fewest} pairs, the fewest that can decide, take"
        f" {in_words(plan.seconds(fewest))}. Give more, shorten phases, have fewer faults,"
        " or run it with --engine virtual"
    )


def _looks(plan: Plan, most: int) -> Looks | None:
    """None where so few pairs cannot decide."""
    pairs = plan.gate.pairs
    try:
        return Looks.planned(min(pairs.least, most), most, 1 - pairs.confidence_ratio, plan.decisions)
    except ValueError:
        return None
