"""A pair judged again from what is stored gives the same, today and by later versions."""

import lzma
from pathlib import Path

import msgspec
import pytest

from harness.judging.case import lay_out_pair
from harness.judging.history import Arrived, FaultChanged, History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.reading import read_history
from harness.judging.result import Verdict
from harness.judging.windows import Window
from tests.harness.judging.compared.handmade import END_S, START_S, Plan, usual
from tests.harness.judging.synthetic import CHAT, CONTAINED, simulate

STORED = Path(__file__).parent / "stored"  # slow_worker x none, as 0.1.0 recorded and judged it


def unpacked(name: str) -> bytes:
    return lzma.decompress((STORED / f"{name}.xz").read_bytes())


@pytest.fixture(scope="module")
def stored():
    return PairResult.model_validate_json(unpacked("pair.json"))


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    for arm in ("fault", "control"):
        (folder / arm).write_bytes(unpacked(f"{arm}.jsonl"))
    return judge_pair(read_history(folder / "fault"), read_history(folder / "control"))


def test_a_pair_of_an_earlier_version_keeps_its_verdicts(stored, again):
    assert again.fault.verdict is stored.fault.verdict is Verdict.FAIL
    assert again.control.verdict is stored.control.verdict is Verdict.PASS
    assert again.fault.hop_depth == stored.fault.hop_depth == 2


def test_its_preconditions_hold_as_they_did(stored, again):
    for was, now in ((stored.fault, again.fault), (stored.control, again.control)):
        held = {guard.name: guard.ok for guard in now.guards}
        assert {guard.name: held[guard.name] for guard in was.guards} == {g.name: g.ok for g in was.guards}


def test_pressure_travelled_as_it_did(stored, again):
    assert again.fault.order == stored.fault.order
    assert stored.fault.order[0].place == "worker-0"


def test_each_measure_has_the_figures_that_it_had(stored, again):
    """A new measure may come. One that is to mean something else needs another name."""
    now = {(m.name, m.about, m.quantile): m for m in again.fault.measures}
    assert len(stored.fault.measures) > 20
    for was in stored.fault.measures:
        found = now[was.name, was.about, was.quantile]
        figures = (found.value, found.lower, found.upper, found.mild, found.severe)
        assert figures == pytest.approx((was.value, was.lower, was.upper, was.mild, was.severe), rel=1e-6), (
            was
        )
        assert found.deciding is was.deciding


@pytest.mark.parametrize("plan", [{}, CONTAINED, {"kind": "killed"}])
def test_what_is_read_back_is_judged_as_what_was_recorded(plan, tmp_path):
    fault = simulate(**plan)
    control = simulate(**plan | {"kind": None, "scenario": fault.setup.scenario})
    paths = tmp_path / "fault", tmp_path / "control"
    for path, history in zip(paths, (fault, control), strict=True):
        path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in history.records))
    pair = judge_pair(fault, control, "fault")
    read = judge_pair(*map(read_history, paths), "fault")
    assert PairResult.model_validate_json(pair.model_dump_json()) == read


def test_two_runs_that_differ_in_more_than_the_fault_are_no_pair():
    with pytest.raises(ValueError, match=r"no pair: seed is 1 with the fault, 2 in the control"):
        judge_pair(simulate(), simulate(kind=None, scenario="slow_worker", seed=2))
    with pytest.raises(ValueError, match="the control has a fault of its own"):
        judge_pair(simulate(), simulate())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"timeout_s": 9.0}, "timeout_s is None with the fault, 9.0 in the control"),
        ({"max_num_seqs": 99}, "max_num_seqs is 8 with the fault, 99 in the control"),
        ({"callers": [CHAT]}, "their callers are not the same"),
    ],
)
def test_two_runs_of_another_set_up_are_no_pair(change, words):
    setup, *rest = simulate(kind=None, scenario="slow_worker").records
    with pytest.raises(ValueError, match=words):
        judge_pair(simulate(), History([msgspec.structs.replace(setup, **change), *rest]))


def test_two_runs_that_were_asked_other_things_are_no_pair():
    fault = Plan(faulted=True, fates=usual).history()
    assert judge_pair(fault, Plan(faulted=False, fates=usual, shift_s=3.0).history()).seed == 1
    fewer = Plan(faulted=False, fates=usual, sent=lambda number, at_s: number != 50).history()
    with pytest.raises(ValueError, match="no pair: chat did not send the same requests in both runs"):
        judge_pair(fault, fewer)
    later = [
        msgspec.structs.replace(each, intended_s=each.intended_s - 0.01)
        if isinstance(each, Arrived) and each.request == "tenant-50"
        else each
        for each in Plan(faulted=False, fates=usual).history().records
    ]
    with pytest.raises(ValueError, match="no pair: tenant did not send the same requests"):
        judge_pair(fault, History(later))


def test_what_the_control_may_have_left_behind_speaks_against_a_pass():
    fault, control = (Plan(faulted=faulted, fates=usual).history() for faulted in (True, False))
    assert judge_pair(fault, control).fault.verdict is Verdict.PASS
    *records, last = control.records
    unclean = History([*records, msgspec.structs.replace(last, clean=False, note="a port is open")])
    found = judge_pair(fault, unclean).fault
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.headline == "inconclusive: in the control clean-up is unverified: a port is open"


def test_the_control_is_compared_in_the_stretch_in_which_the_fault_was_there():
    """It took 3 s to come and was gone 2 s early; the control began a second later."""
    changes = {True: START_S + 3, False: END_S - 2}
    fault = [
        msgspec.structs.replace(each, at_s=changes[each.active]) if isinstance(each, FaultChanged) else each
        for each in Plan(faulted=True, fates=usual).history().records
    ]
    case, beside = lay_out_pair(History(fault), Plan(faulted=False, fates=usual, shift_s=1.0).history())
    assert case.times.fault == Window(START_S + 3, END_S - 2)
    assert beside.times.fault == Window(START_S + 4, END_S - 1)
    pair = judge_pair(History(fault), Plan(faulted=False, fates=usual).history())
    offered = {
        (arm, each.name): each.metrics["offered"].during
        for arm in ("fault", "control")
        for each in getattr(pair, arm).callers
    }
    assert offered["fault", "chat"] == offered["control", "chat"] < 10 * (END_S - START_S - 5)
