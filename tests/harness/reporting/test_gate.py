"""A gate's result in lines: the verdict first, then every objective with its figures, limit and place."""

import pytest

from harness.gating.conduct import Gate, result_of
from harness.reporting.gate import first_line, gate_lines
from tests.harness.gating.fake_rounds import CALM, EDGE, FakeRounds, gate_file, planned
from tests.harness.judging.pairs.made import objective

WILD = [3 * value for value in CALM]
THREE = [
    objective(limit=1.5, id="calm", line=7),
    objective("max", 99, id="loose", line=8),
    objective(limit=1.5, id="warned", level="warn", line=9),
]


def lines(own, objectives=THREE):
    plan = planned(gate_file(objectives=objectives))
    result = result_of(plan, Gate(plan=plan, rounds=FakeRounds(own=own)).cells(), "its load", ["a note"])
    return result, [line.plain for line in gate_lines(result)]


@pytest.mark.parametrize(
    ("own", "marks"), [(CALM, ["+", "+", "+"]), (WILD, ["x", "+", "!"]), (EDGE, ["~", "+", "~"])]
)
def test_every_objective_has_its_mark_also_those_that_hold(own, marks):
    _, told = lines(own)
    found = [line.split()[0] for line in told if "gate.yaml:" in line and "again" not in line]
    assert found == marks


def test_the_first_line_is_enough_alone():
    result, told = lines(WILD)
    assert told[0] == first_line(result)
    assert told[0].startswith("FAIL  slow_worker x contain: calm: e2e_s.p95_all of tenant during fault x3.")


def test_an_objective_is_told_with_value_interval_limit_samples_and_place():
    _, told = lines(WILD)
    line = next(line for line in told if " calm " in line and "gate.yaml" in line)
    for part in (
        "x3.",
        "[x2.",
        "..x3.",
        "vs control",
        "max x1.50",
        "8 pairs of 400 requests and more",
        "gate.yaml:7",
    ):
        assert part in line


def test_what_is_undecided_is_told_with_what_would_settle_it():
    _, told = lines(EDGE)
    assert any("to settle it: about " in line and "more pairs" in line for line in told)


def test_spread_law_checks_and_notes_stand_below():
    _, told = lines(CALM)
    words = [line.split()[0] for line in told if line.strip()]
    for word in ("spread", "law", "checks", "engine", "load", "looks", "note"):
        assert word in words
