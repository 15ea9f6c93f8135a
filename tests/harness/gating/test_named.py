from pathlib import Path

import pytest

from harness.gating.gate_file import Baseline, GateFile
from harness.gating.named import find_named
from harness.gating.yaml_text import Place
from harness.scenario import Scenario

LINES: dict[Place, int] = {
    ("policy",): 2, ("scenario",): 3, ("workers",): 4, ("faults",): 5, ("faults", 0): 6, ("faults", 1): 7,
    ("baseline",): 8, ("baseline", "policy"): 9, ("baseline", "result"): 10,
}  # fmt: skip
HERE = Path(__file__)


def found(**values: object) -> tuple[Scenario | None, list[tuple[int, str]]]:
    problems = []
    known = {"path": Path("gate.yaml"), "policy": "contain", "lines": LINES}
    scenario = find_named(GateFile(**(known | values)), problems := [])  # type: ignore[arg-type]
    return scenario, [(problem.line, problem.words) for problem in problems]


def test_what_is_there_and_fits_is_found() -> None:
    scenario, problems = found(
        policy="timeout(ttft=2) | retry()",
        workers=6,
        phases={"fault_s": 33.0},
        faults=("slow_steps(factor=10)", "link_latency(latency=0.95timeout)"),
        baseline=Baseline(policy="timeout"),
    )
    assert problems == []
    assert scenario is not None
    assert (scenario.topology.workers, scenario.phases.fault_s) == (6, 33)
    assert found(baseline=Baseline(result=HERE))[1] == []


@pytest.mark.parametrize(
    ("values", "line", "words"),
    [
        ({"policy": "contian"}, 2, "unknown policy preset 'contian'. Closest: contain. Presets: none, "),
        ({"policy": "timeout("}, 2, "'timeout(' is no policy. Write name(parameter=value, ...)"),
        ({"policy": "a/own.policy"}, 2, "cannot read 'a/own.policy': No such file or directory."),
        ({"scenario": "slow_wroker"}, 3, "unknown scenario 'slow_wroker'. Closest: slow_worker. All: "),
        ({"workers": 1}, 4, "workers: 1 are too few. slow_worker: caller 'tenant' avoids the fault, but all"),
        ({"faults": ("slow_stps()",)}, 6, "unknown fault 'slow_stps'. Closest: slow_steps. `limplock list"),
        (
            {"faults": ("slow_steps()", "slow_steps(2 s)")},
            7,
            "'slow_steps(2 s)': a number has no unit, and 's' follows one",
        ),
        ({"faults": ("slow_steps()", " ")}, 7, "a fault is empty. Write one such as slow_steps(factor=10)"),
        ({"faults": ("",)}, 6, "a fault is empty. Write one such as slow_steps(factor=10)"),
        (
            {"faults": ("slow_steps(10)", "slow_steps(factor=10.0)")},
            7,
            "fault slow_steps(factor=10) is there twice, also in line 6. Remove one",
        ),
        (
            {"policy": "none", "faults": ("link_latency(latency=0.95timeout)",)},
            6,
            "link_latency(latency_s=0.95timeout, connections_ratio=1) under none: 0.95timeout needs a policy",
        ),
        (
            {"baseline": Baseline(policy="none"), "faults": ("link_latency(latency=0.95timeout)",)},
            6,
            "link_latency(latency_s=0.95timeout, connections_ratio=1) under none: 0.95timeout needs a policy",
        ),
        (
            {"engine": "virtual", "faults": ("gpu_power_limit()",)},
            6,
            "gpu_power_limit needs a GPU, and a virtual run has none. Use slow_steps",
        ),
        ({"baseline": Baseline()}, 8, "baseline takes either policy, measured in the same job, or result."),
        ({"baseline": Baseline(policy="none", result=HERE)}, 8, "baseline takes either policy, measured"),
        ({"baseline": Baseline(policy="nono")}, 9, "unknown policy preset 'nono'. Closest: none."),
        ({"baseline": Baseline(result=HERE.parent)}, 10, f"baseline: '{HERE.parent}"[:50]),
        (
            {"baseline": Baseline(result=Path("a\0b"))},
            10,
            "baseline: 'a\\x00b' is no file. Give the gate.json",
        ),
    ],
)
def test_what_is_not_there_or_does_not_fit_is_told_in_its_line(
    values: dict[str, object], line: int, words: str
) -> None:
    ((where, told),) = found(**values)[1]
    assert where == line
    assert told.startswith(words)
    assert "--" not in told.split(". ")[0]


def test_a_fault_that_a_list_cut_in_two_is_told_to_be_put_in_quotes() -> None:
    for _, words in found(faults=("slow_steps(factor=10", "shape=ramp())"))[1]:
        assert words.endswith("In [a, b] a fault with a comma stands in quotes")
    assert len(found(faults=("slow_steps(factor=10", "shape=ramp())"))[1]) == 2
    ((_, words),) = found(faults=("slow_stps()",))[1]
    assert "quotes" not in words


def test_everything_wrong_is_told_at_once() -> None:
    _, problems = found(policy="x1", faults=("x2()",), baseline=Baseline(policy="x3"))
    assert [line for line, _ in problems] == [2, 9, 6]
    scenario, problems = found(policy="x1", scenario="x2")
    assert scenario is None
    assert [line for line, _ in problems] == [2, 3]
