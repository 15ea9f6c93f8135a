"""All oracles, in the order in which they are told."""

from collections.abc import Iterator

from harness.arms import Arm
from harness.doctoring.controls import BOUNDED, OTHER_MACHINE, UNBOUNDED, Make, negative, positive, virtually
from harness.doctoring.lies import LIES, Material, Pair
from harness.doctoring.oracle import Oracle, comes_out, noticed, untouched
from harness.judging.pairs.pair import judge_pair
from harness.judging.result import Verdict
from harness.scenario import Scenario


def examine_virtually() -> Iterator[Oracle]:
    """In seconds. What does not hold is a bug of ours: in virtual time no machine is to blame."""
    yield untouched("negative control", judge_pair(*_pair(virtually, negative())), exactly=True)
    spread, calm = _pair(virtually, positive())
    yield comes_out("positive control", judge_pair(spread, calm), Verdict.FAIL)
    again = virtually(positive(), UNBOUNDED, Arm.CONTROL, OTHER_MACHINE)
    yield comes_out("identical arms", judge_pair(again, calm), Verdict.PASS)
    fault, control = _pair(virtually, positive(), BOUNDED)
    yield comes_out("contained is told as contained", judge_pair(fault, control), Verdict.PASS)
    told = Material(fault=fault, control=control, spread=spread)
    for name, lie in LIES.items():
        yield noticed(name, *lie(told))


def examine_really(make: Make) -> Iterator[Oracle]:
    """On real processes. What does not hold may be for want of a machine that can."""
    yield untouched("negative control", judge_pair(*_pair(make, negative())), exactly=False)
    yield comes_out("positive control", judge_pair(*_pair(make, positive())), Verdict.FAIL)


def _pair(make: Make, scenario: Scenario, preset: str = UNBOUNDED) -> Pair:
    return make(scenario, preset, Arm.FAULT), make(scenario, preset, Arm.CONTROL)
