"""A gate over made-up pairs: which are run, when it ends, and what its result says."""

import pytest

from harness.gating.conduct import Gate, result_of
from harness.judging.pairs.gate_result import GateResult
from harness.judging.result import Verdict
from tests.harness.gating.fake_rounds import CALM, EDGE, FakeRounds, gate_file, planned
from tests.harness.judging.pairs.made import objective

TWO = ("slow_steps(factor=10)", "periodic_stall(stall_s=0.5, every_s=2)")
WILD = [3 * value for value in CALM]


def conducted(gate, **figures):
    rounds = FakeRounds(**figures)
    plan = planned(gate)
    cells = Gate(plan=plan, rounds=rounds).cells()
    return rounds, result_of(plan, cells, "load", [])


def test_what_is_decided_at_the_first_look_is_not_run_again():
    rounds, result = conducted(gate_file(), own=CALM)
    assert result.verdict is Verdict.PASS
    assert [(first, count) for _, first, count in rounds.asked] == [(0, 8)]


def test_what_stays_undecided_is_extended_to_the_last_look():
    rounds, result = conducted(gate_file(), own=EDGE)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert [(first, count) for _, first, count in rounds.asked] == [(0, 8), (8, 2), (10, 2)]


def test_only_the_undecided_cells_are_extended():
    rounds, _ = conducted(gate_file(faults=TWO), slow_steps=CALM, periodic_stall=EDGE)
    assert [len(cells) for cells, _, _ in rounds.asked] == [2, 1, 1]
    assert rounds.asked[1][0] == [("contain", TWO[1])]


def test_a_gate_that_has_failed_runs_no_more():
    rounds, result = conducted(gate_file(faults=TWO), slow_steps=WILD, periodic_stall=EDGE)
    assert result.verdict is Verdict.FAIL
    assert len(rounds.asked) == 1


def test_a_figure_that_is_missing_is_not_sought_in_more_pairs():
    rounds, result = conducted(gate_file(), own=[None])
    assert result.verdict is Verdict.INCONCLUSIVE
    assert len(rounds.asked) == 1


def test_the_baseline_is_measured_only_where_an_objective_asks_for_it():
    from harness.gating.gate_file import Baseline

    plain = gate_file(baseline=Baseline(policy="libraries"))
    assert [policy for policy, _ in conducted(plain, own=CALM)[0].asked[0][0]] == ["contain"]
    against = gate_file(baseline=Baseline(policy="libraries"), objectives=[objective("max_vs_baseline", 1.2)])
    rounds, result = conducted(against, own=CALM)
    assert [policy for policy, _ in rounds.asked[0][0]] == ["contain", "libraries"]
    assert result.cells[0].objectives[0].value == 1.0
    assert result.baseline == "libraries"


def test_a_result_is_stored_and_read_again():
    _, result = conducted(gate_file(), own=[float("inf")])
    assert result.cells[0].objectives[0].value == float("inf")
    assert GateResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("clean", [True, False])
def test_a_clean_up_in_doubt_is_one_of_the_result(clean):
    plan = planned()
    cells = Gate(plan=plan, rounds=FakeRounds(own=CALM)).cells()
    pair = cells[0].cell.pairs[0]
    dirty = pair.model_copy(update={"control": pair.control.model_copy(update={"clean": clean})})
    cell = cells[0].cell.model_copy(update={"pairs": [dirty]})
    assert result_of(plan, [cells[0].model_copy(update={"cell": cell})], "", []).clean is clean
