"""Plans: what they cost, what they can prove, and which are refused."""

from dataclasses import replace

import pytest

from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_steps import SlowSteps
from harness.errors import BadInput
from harness.gating.budget import read_budget, read_noise, within
from harness.gating.plan_words import plan_words
from harness.gating.problem import refuse
from harness.gating.provable import hopeless
from scenarios import SCENARIOS
from tests.harness.gating.fake_rounds import gate_file, planned
from tests.harness.judging.pairs.made import objective

SLOW = SCENARIOS["slow_worker"]
TWO = ("slow_steps(factor=10)", "periodic_stall(stall=0.5, every=2)")


def real(plan):
    return replace(plan, gate=replace(plan.gate, engine="torch"))


def test_faults_share_a_control_and_one_that_needs_a_longer_run_has_its_own():
    assert planned(gate_file(faults=TWO)).runs == 3
    flapping = "slow_steps(factor=10, shape=flapping(on=1, off=20))"
    assert planned(gate_file(faults=(TWO[0], flapping))).runs == 4


def test_each_fault_is_a_scenario_with_the_gates_workers_and_phases():
    found = planned(replace(gate_file(faults=TWO, workers=6), phases={"fault_s": 60.0, "recovery_s": 8.0}))
    assert [each.fault for each in found.scenarios] == [
        SlowSteps(factor=10),
        PeriodicStall(stall_s=0.5, every_s=2),
    ]
    for each in found.scenarios:
        assert each.topology.workers == 6
        assert (each.phases.recovery_s, each.phases.baseline_s) == (8, SLOW.phases.baseline_s)
        assert each.phases.fault_s >= 60


def test_real_time_is_that_of_its_runs_one_after_another():
    plan = real(planned())
    run_s = plan.scenarios[0].phases.load_s
    assert 8 * 2 * run_s < plan.seconds(8) < 8 * 2 * (run_s + 10)
    assert plan.seconds(12) == pytest.approx(1.5 * plan.seconds(8))


def test_more_processes_take_less_virtual_time():
    plan = planned()
    assert replace(plan, jobs=4).seconds(12) < replace(plan, jobs=2).seconds(12)


def test_a_budget_takes_as_many_pairs_as_it_allows():
    plan = real(planned())
    assert within(plan, plan.seconds(10)).looks.most == 10
    assert within(plan, plan.seconds(12) + 1).looks.after == plan.looks.after


def test_a_budget_below_the_fewest_pairs_that_decide_is_refused_with_what_would_do():
    plan = real(planned())
    with pytest.raises(BadInput, match=r"--budget 60 s is too short: 6 pairs, .* take \d+ min. Give more"):
        within(plan, 60.0)


@pytest.mark.parametrize(("text", "seconds"), [("5m", 300), ("90 s", 90), ("1.5h", 5400), ("2 min", 120)])
def test_budgets_are_read_as_people_write_them(text, seconds):
    assert read_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "5 weeks", "0s", "-3m", "m"])
def test_other_budgets_are_refused(text):
    with pytest.raises(BadInput, match=r"^--budget: "):
        read_budget(text)


def test_a_limit_that_real_noise_hides_is_refused_with_its_line():
    tight = planned(gate_file(objectives=[objective(limit=1.05, line=7)]))
    refuse(tight.gate.path, hopeless(tight))  # exact in virtual time
    with pytest.raises(BadInput, match=r"^gate.yaml:7: calm: 12 pairs cannot tell x1.05 from x1 at 20%"):
        refuse(tight.gate.path, hopeless(real(tight)))


def test_who_knows_its_noise_may_have_a_tighter_limit():
    tight = replace(real(planned(gate_file(objectives=[objective(limit=1.05, line=7)]))), noise_ratio=0.02)
    assert not list(hopeless(tight))
    assert any(
        "at 2% noise between pairs (as given)" in line
        for line in plan_words(tight, [], proves=False, stored=None)
    )


@pytest.mark.parametrize(("text", "ratio"), [("5%", 0.05), ("0.05", 0.05)])
def test_noise_is_a_share(text, ratio):
    assert read_noise(text) == ratio
    with pytest.raises(BadInput, match=r"^--noise: "):
        read_noise("loud")
    with pytest.raises(BadInput, match=r"^--noise: .². is not a share\. Write 0\.02 or 2%$"):
        read_noise("²")


def test_shares_have_no_noise_of_a_clock():
    shares = planned(gate_file(objectives=[objective("min_vs_control", 0.97, "goodput_ratio", line=7)]))
    assert not list(hopeless(real(shares)))


def test_a_guard_on_what_a_running_run_cannot_know_is_refused():
    from harness.gating.gate_file import StopIf

    guard = StopIf(metric="goodput_ratio", of="local_api", over=0.5, for_s=3, line=9)
    with pytest.raises(BadInput, match=r"gate.yaml:9: goodput_ratio is known when a run is over"):
        planned(gate_file(guards=(guard,)))


def test_a_fleet_that_cannot_be_is_refused_with_its_line():
    with pytest.raises(BadInput, match=r"^gate.yaml:3: --load 1.2"):
        planned(gate_file(load_ratio=1.2, lines={("load",): 3}))


def test_the_plan_says_what_will_run_and_what_that_can_prove():
    words = "\n".join(plan_words(real(planned()), ["removed"], proves=True, stored=None))
    for part in (
        "real processes",
        "looks after 8 and 10 and 12, 2 runs for each",
        "assumed",
        "the arm removed",
    ):
        assert part in words


def pairs_line(count):
    faults = tuple(f"slow_steps(factor={5 + number})" for number in range(count))
    words = plan_words(planned(gate_file(faults=faults)), [], proves=False, stored=None)
    return next(line for line in words if line.startswith("pairs"))


def test_looks_that_begin_later_than_the_file_says_come_with_the_reason():
    assert pairs_line(1) == (
        "pairs    looks after 8 and 10 and 12, 2 runs for each, 1 decision has all of the error"
    )
    assert pairs_line(7) == (
        "pairs    looks after 10 and 12 (7 decisions need a first look later than 8), 8 runs for each,"
        " 7 decisions share the error"
    )
