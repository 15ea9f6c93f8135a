"""Whether a set-up can tell good from bad: what counts as proof, and what does not."""

import pytest

from harness.exit_codes import ExitCode
from harness.gating.prove import CannotTell, check, prove
from harness.judging.pairs.cell import judge_cell
from harness.judging.result import Verdict
from harness.real_deployment import Options
from tests.harness.gating.fake_rounds import planned
from tests.harness.judging.pairs.made import frame

CONTAINED = judge_cell([frame()] * 8, 0.05)


def test_a_good_policy_that_passes_is_proof():
    assert CONTAINED.verdict is Verdict.PASS
    check("contain", Verdict.PASS, CONTAINED)


def test_a_bad_policy_that_passes_is_none():
    with pytest.raises(
        CannotTell, match="this set-up cannot tell good from bad: none must be FAIL"
    ) as caught:
        check("none", Verdict.FAIL, CONTAINED)
    assert caught.value.exit_code == ExitCode.INCONCLUSIVE


def test_in_virtual_time_none_spreads_and_contain_contains(tmp_path):
    told = []
    prove(planned(), Options(), tmp_path, told.append)
    assert told == [
        "proof: none came out FAIL on slow_worker in 8 pairs",
        "proof: contain came out PASS on slow_worker in 8 pairs",
    ]
