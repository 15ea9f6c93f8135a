"""A pair on real processes: both arms with the same requests, in turn, and everything gone after each."""

from dataclasses import replace

import pytest

from harness.gating.real_rounds import RealRounds
from harness.gating.rounds import PAIR, Cell, round_folder
from harness.judging.history import Arrived, FaultChanged, Finished
from harness.judging.pairs.pair import PairResult
from harness.judging.reading import read_history
from harness.real_deployment import Options
from harness.results import HISTORY
from harness.scenario import Phases
from harness.suite import Planned
from policies.presets import PRESETS
from scenarios import SCENARIOS

pytestmark = pytest.mark.real

SHORT = replace(
    SCENARIOS["slow_worker"],
    phases=Phases(warm_up_s=1, baseline_s=4, fault_s=6, recovery_s=1, drain_s=3),
)


def test_a_real_pair_is_two_runs_that_differ_in_the_fault_alone(tmp_path):
    planned = Planned(SHORT, PRESETS["none"])
    options, cell = Options(device="cpu"), Cell("none", "")
    rounds = RealRounds(plan_of=lambda _: planned, seed=7, options=options, folder=tmp_path)
    (pair,) = rounds.run([cell], 1, 1)[cell]
    folder = round_folder(tmp_path, "none", 1)
    fault, control = (read_history(folder / arm / HISTORY) for arm in ("fault", "control"))

    def asked(history):
        return [(each.request, each.intended_s) for each in history.of(Arrived)]

    assert (pair.seed, pair.first) == (8, "fault")
    assert asked(fault) == asked(control)
    assert [change.active for change in fault.of(FaultChanged)] == [True, False]
    assert not control.of(FaultChanged)
    assert all(history.of(Finished)[0].clean for history in (fault, control))
    assert pair.fault.bite is not None
    assert pair.fault.bite.bit
    assert pair.fault.against == "its control"
    assert PairResult.model_validate_json((folder / "fault" / PAIR).read_text()) == pair
