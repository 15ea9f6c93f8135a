"""Pairs in virtual time: what they leave behind, and that nothing but the seed decides them."""

import pytest
from msgspec.structs import replace

from harness.arms import Arm
from harness.gating.rounds import PAIR, Cell, round_folder
from harness.gating.virtual_rounds import VirtualRounds
from harness.judging.history import Arrived
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.reading import read_history
from harness.judging.result import Verdict
from harness.results import HISTORY
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun, digest

RUN = VirtualRun(scenario="slow_worker", preset="none", seed=4, costs=TINY_CPU)
CELL = Cell("none", "")


def rounds_in(folder, jobs=1):
    return VirtualRounds(run_of=lambda _: RUN, folder=folder, jobs=jobs)


@pytest.fixture(scope="module")
def rounds(tmp_path_factory):
    return rounds_in(tmp_path_factory.mktemp("rounds"))


@pytest.fixture(scope="module")
def pairs(rounds):
    return rounds.run([CELL], 0, 2)[CELL]


def test_a_pair_is_the_fault_against_its_control_with_the_same_requests(rounds, pairs):
    assert [pair.seed for pair in pairs] == [4, 5]
    assert [pair.first for pair in pairs] == ["control", "fault"]
    assert [pair.fault.verdict for pair in pairs] == [Verdict.FAIL] * 2
    assert [pair.control.verdict for pair in pairs] == [Verdict.PASS] * 2
    fault, control = (
        [(a.request, a.intended_s) for a in read_history(folder / HISTORY).of(Arrived)]
        for folder in (round_folder(rounds.folder, "none", 0) / arm for arm in ("fault", "control"))
    )
    assert fault == control


def test_what_is_stored_gives_the_same_pair_again(rounds, pairs):
    folder = round_folder(rounds.folder, "none", 1)
    stored = PairResult.model_validate_json((folder / "fault" / PAIR).read_text())
    assert stored == pairs[1]
    again = judge_pair(
        read_history(folder / "fault" / HISTORY), read_history(folder / "control" / HISTORY), "fault"
    )
    assert again.fault.measures == stored.fault.measures
    assert again.fault.verdict == stored.fault.verdict
    assert again.control.measures == stored.control.measures


def test_each_run_of_a_pair_has_a_token_and_a_digest_of_its_own(rounds, pairs):
    for arm, result in (("fault", pairs[0].fault), ("control", pairs[0].control)):
        run = VirtualRun.of(result.replay)
        assert run == replace(RUN, arm=Arm(arm))
        assert result.digest == digest(round_folder(rounds.folder, "none", 0) / arm / HISTORY)
    assert pairs[0].fault.digest != pairs[0].control.digest


def test_several_processes_make_the_same_pairs(pairs, tmp_path):
    assert rounds_in(tmp_path, jobs=2).run([CELL], 0, 2) == {CELL: pairs}


def test_more_pairs_go_on_where_the_first_ones_ended(rounds):
    (third,) = rounds.run([CELL], 2, 1)[CELL]
    assert (third.seed, third.first) == (6, "control")


def test_another_arm_runs_with_the_seed_of_its_pair(rounds):
    (removed,) = rounds.alone(CELL, Arm.REMOVED, [1])
    assert removed.setting.seed == 5
    assert removed.verdict is Verdict.PASS
    assert VirtualRun.of(removed.replay).arm is Arm.REMOVED


def test_folders_of_pairs_sort_as_they_were_run(tmp_path):
    names = [round_folder(tmp_path, "none", number).name for number in range(12)]
    assert names == sorted(names)
