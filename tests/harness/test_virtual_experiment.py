"""Pairs in virtual time: what they leave behind, and that nothing but the seed decides them."""

import pytest
from msgspec.structs import replace

from harness.arms import Arm
from harness.experiment import PAIR
from harness.judging.history import Arrived
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.reading import read_history
from harness.judging.result import Verdict
from harness.results import HISTORY
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_experiment import VirtualExperiment
from harness.virtual_run import VirtualRun, digest

RUN = VirtualRun(scenario="slow_worker", preset="none", seed=4, costs=TINY_CPU)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return VirtualExperiment(run=RUN, folder=tmp_path_factory.mktemp("pairs"), jobs=1)


@pytest.fixture(scope="module")
def pairs(experiment):
    return experiment.pairs(0, 2)


def test_a_pair_is_the_fault_against_its_control_with_the_same_requests(experiment, pairs):
    assert [pair.seed for pair in pairs] == [4, 5]
    assert [pair.first for pair in pairs] == ["control", "fault"]
    assert [pair.fault.verdict for pair in pairs] == [Verdict.FAIL] * 2
    assert [pair.control.verdict for pair in pairs] == [Verdict.PASS] * 2
    fault, control = (
        [(a.request, a.intended_s) for a in read_history(folder / HISTORY).of(Arrived)]
        for folder in (experiment.folder / "pair-00" / arm for arm in ("fault", "control"))
    )
    assert fault == control


def test_what_is_stored_gives_the_same_pair_again(experiment, pairs):
    folder = experiment.folder / "pair-01"
    stored = PairResult.model_validate_json((folder / PAIR).read_text())
    assert stored == pairs[1]
    again = judge_pair(
        read_history(folder / "fault" / HISTORY), read_history(folder / "control" / HISTORY), "fault"
    )
    assert again.fault.measures == stored.fault.measures
    assert again.fault.verdict == stored.fault.verdict
    assert again.control.measures == stored.control.measures


def test_each_run_of_a_pair_has_a_token_and_a_digest_of_its_own(experiment, pairs):
    for arm, result in (("fault", pairs[0].fault), ("control", pairs[0].control)):
        run = VirtualRun.of(result.replay)
        assert run == replace(RUN, arm=Arm(arm))
        assert result.digest == digest(experiment.folder / "pair-00" / arm / HISTORY)
    assert pairs[0].fault.digest != pairs[0].control.digest


def test_several_processes_make_the_same_pairs(pairs, tmp_path):
    assert VirtualExperiment(run=RUN, folder=tmp_path, jobs=2).pairs(0, 2) == pairs


def test_more_pairs_go_on_where_the_first_ones_ended(experiment, pairs):
    (third,) = experiment.pairs(2, 1)
    assert (third.seed, third.first) == (6, "control")
    assert experiment.pairs(3, 0) == []


def test_another_arm_runs_with_the_seed_of_its_pair(experiment):
    removed = experiment.alone(Arm.REMOVED, 1)
    assert removed.setting.seed == 5
    assert removed.verdict is Verdict.PASS
    assert VirtualRun.of(removed.replay).arm is Arm.REMOVED
