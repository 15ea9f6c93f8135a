import pytest

from harness.gating.gate_file import StopIf
from harness.gating.objectives import read_guard, read_objective
from harness.gating.problem import Problem
from harness.gating.quantity import Written
from harness.gating.written import WrittenGuard, WrittenObjective
from harness.gating.yaml_text import Place
from harness.judging.pairs.objective import Objective

LINES: dict[Place, int] = {
    ("objectives",): 3,
    ("objectives", 0): 4,
    ("objectives", 0, "metric"): 5,
    ("objectives", 0, "max"): 6,
    ("objectives", 0, "min"): 7,
    ("objectives", 0, "max_vs_control"): 8,
    ("guards", 0): 9,
    ("guards", 0, "over"): 10,
    ("guards", 0, "for"): 11,
}


def objective(**values: object) -> Objective | Problem | None:
    written = WrittenObjective.model_validate({"id": "fast", "metric": "e2e_s.p95_all"} | values)
    return read_objective(written, 0, LINES)


def guard(over: Written, length: Written = "3 s", metric: str = "drop_ratio") -> StopIf | Problem:
    written = WrittenGuard.model_validate({"metric": metric, "of": "chat", "over": over, "for": length})
    return read_guard(written, 0, LINES)


def test_a_limit_is_in_the_unit_of_its_metric_or_a_factor() -> None:
    assert objective(max="500 ms", of="chat", during="after", level="warn", on_missing="fail") == Objective(
        id="fast", metric="e2e_s.p95_all", of="chat", during="after", bound="max", limit=0.5, level="warn",
        on_missing="fail", line=4,
    )  # fmt: skip
    shares = objective(metric="goodput_ratio", min="97%")
    assert isinstance(shares, Objective)
    assert (shares.bound, shares.limit) == ("min", 0.97)
    factor = objective(metric="goodput_ratio", min_vs_baseline=0.97)
    assert isinstance(factor, Objective)
    assert (factor.bound, factor.limit, factor.unit) == ("min_vs_baseline", 0.97, "factor")


@pytest.mark.parametrize(
    ("values", "line", "words"),
    [
        (
            {"max_vs_control": "2 s"},
            8,
            "max_vs_control: '2 s' is no factor. Write a plain number such as 1.5",
        ),
        ({"max_vs_control": "150%"}, 8, "max_vs_control: '150%' is no factor (x1.5 or +150%?). Write 1.5"),
        ({"max_vs_control": 0}, 8, "max_vs_control: a factor of 0 holds for nothing. Write one such as 1.5"),
        ({"max": "2%"}, 6, "max: '2%' has an unknown unit of time. Write ms, s, min or h"),
        ({"max": 0}, 6, "max: nothing takes 0 s. Write a duration such as 2 s"),
        ({"min": 0}, 7, "min: 0 is never missed. Write more, or remove the objective"),
        ({"metric": "drop_ratio", "max": 1}, 6, "max: no share is above 1. Write less, or remove it"),
        ({"metric": "drop_ratio", "max": 5}, 6, "max: 5 is a share above 1. Write 0.05 or 5%"),
        (
            {"metric": "drop_rate", "max": 5},
            5,
            "unknown metric 'drop_rate'. Closest: drop_ratio. All: limplock list metrics",
        ),
        ({"max": 1, "min": 2}, 4, "fast has max and min. Write an objective for each, with an id of its own"),
    ],
)
def test_what_bounds_nothing_or_may_mean_two_things_is_told_in_its_line(
    values: dict[str, object], line: int, words: str
) -> None:
    assert objective(**values) == Problem(line, words)


def test_no_drops_at_all_can_be_asked_for() -> None:
    found = objective(metric="drop_ratio", max=0)
    assert isinstance(found, Objective)
    assert found.holds(0.0)
    assert not found.holds(0.001)


def test_an_objective_without_a_bound_is_told_unless_its_bound_was() -> None:
    none: dict[Place, int] = {("objectives", 0): 4}
    written = WrittenObjective(id="fast", metric="e2e_s.p95_all")
    told = read_objective(written, 0, none)
    assert isinstance(told, Problem)
    assert told.words.startswith("fast has no bound. Add one of max, min, max_vs_control")
    assert read_objective(written, 0, LINES) is None


def test_a_guard_has_a_limit_and_a_time() -> None:
    assert guard("50%") == StopIf(metric="drop_ratio", of="chat", over=0.5, for_s=3.0, line=9)
    assert guard("100%") == Problem(10, "over: no share is above 1. Write less, or remove it")
    assert guard(5) == Problem(10, "over: 5 is a share above 1. Write 0.05 or 5%")
    assert guard(0.5, "0 s") == Problem(
        11, "for: 0 is no time: one sample would stop the job. Write one such as 3 s"
    )
    assert guard(0.5, "soon") == Problem(
        11, "for: 'soon' is not a duration. Write 2 s, 500 ms or a number of seconds"
    )
    assert guard(0.5, metric="drop") == Problem(
        9, "unknown metric 'drop'. Closest: drop_ratio. All: limplock list metrics"
    )
