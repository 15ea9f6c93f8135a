"""Cells over pairs of the simulation, and over what their results are changed to."""

from functools import cache

import pytest

from harness.judging.pairs.cell import CellResult, judge_cell
from harness.judging.pairs.pair import judge_pair
from harness.judging.result import Law, Measure, Verdict
from tests.harness.judging.synthetic import CONTAINED, simulate

ERROR = 0.1


@cache
def pair(seed, **plan):
    fault = simulate(seed=seed, **plan)
    control = simulate(seed=seed, **plan | {"kind": None, "scenario": fault.setup.scenario})
    return judge_pair(fault, control)


def pairs(count=6, **plan):
    return [pair(seed, **plan) for seed in range(1, count + 1)]


def changed(found, **update):
    return found.model_copy(update={"fault": found.fault.model_copy(update=update)})


def test_pressure_that_spreads_in_all_pairs_is_told_without_and_with_the_fault():
    cell = judge_cell(pairs(), ERROR)
    assert cell.verdict is Verdict.FAIL
    assert cell.spread.hits == cell.spread.of == 6
    assert " without the fault -> " in cell.headline
    assert cell.headline.endswith(" with it (6 pairs)")


def test_pressure_that_is_contained_in_all_pairs_passes():
    cell = judge_cell(pairs(**CONTAINED), ERROR)
    assert cell.verdict is Verdict.PASS
    assert cell.spread.hits == 0
    assert cell.headline.startswith("contained in 6 pairs (worst: ")


def test_a_cell_with_what_never_ended_is_stored_and_read_again():
    cell = judge_cell(pairs(), ERROR)
    never = next(m for m in cell.measures if m.name == "sending_stopped_s")
    assert never.value == float("inf")
    assert CellResult.from_json(cell.to_json()) == cell


def test_one_metastable_pair_fails_the_cell():
    stuck = Measure(
        name="metastable", about="all", value=1, lower=1, upper=1, mild=0, severe=0, deciding=True,
        before=1.0, during=0.1,
    )  # fmt: skip
    fine = stuck.model_copy(update={"value": 0, "lower": 0, "upper": 0})
    first, *rest = pairs(**CONTAINED)
    measured = [changed(p, measures=[*p.fault.measures, fine]) for p in rest]
    assert (
        judge_cell([changed(first, measures=[*first.fault.measures, fine]), *measured], ERROR).verdict
        is Verdict.PASS
    )
    cell = judge_cell([changed(first, measures=[*first.fault.measures, stuck]), *measured], ERROR)
    assert cell.verdict is Verdict.FAIL
    assert "goodput late in the recovery 100% without the fault -> 10% with it" in cell.headline


HOLDS = Law(words="w", hop="api", slots=24, must_fill=False, applies=True)


def test_a_law_that_any_pair_contradicts_is_the_one_to_show():
    some = pairs()
    broken = changed(some[2], law=HOLDS.model_copy(update={"contradicted": "by this pair"}))
    assert judge_cell([*some[:2], broken, *some[3:]], ERROR).law.contradicted == "by this pair"
    assert judge_cell(some, ERROR).law.contradicted == ""


@pytest.mark.parametrize(("plan", "contradiction"), [({}, "yet the verdict is spread"), (CONTAINED, "")])
def test_the_verdict_on_all_pairs_is_held_against_the_law_as_well(plan, contradiction):
    lawful = [changed(each, law=HOLDS) for each in pairs(**plan)]
    found = judge_cell(lawful, ERROR).law.contradicted
    assert contradiction in found
    assert bool(found) is bool(contradiction)
