import pytest

from harness.gating.problem import Problem
from harness.gating.settings import Settings
from harness.gating.written import WrittenGate


def settings(**values: object) -> Settings:
    lines = {("load",): 2, ("pairs", "confidence"): 3, ("phases",): 4, ("phases", "fault_s"): 5}
    return Settings(WrittenGate.model_validate(values), lines, [])


def test_what_is_not_given_is_the_default() -> None:
    found = settings()
    assert found.load_ratio() is None
    assert found.phases() == {}
    assert found.confidence_ratio() == 0.95
    assert found.problems == []


def test_amounts_are_read_with_their_units() -> None:
    found = settings(
        load="65%", phases={"fault_s": "1 min", "warm_up_s": 0, "recovery_s": 7}, pairs={"confidence": "99%"}
    )
    assert found.load_ratio() == 0.65
    assert found.phases() == {"warm_up_s": 0, "fault_s": 60, "recovery_s": 7}
    assert found.confidence_ratio() == 0.99
    assert found.problems == []


@pytest.mark.parametrize(
    ("values", "line", "words"),
    [
        ({"load": 0}, 2, "load: 0 is no load. Write a share of the healthy capacity, such as 0.65"),
        ({"load": 65}, 2, "load: 65 is a share above 1. Write 0.65 or 65%"),
        ({"load": -0.5}, 2, "load: -0.5 is below 0. Write a number from 0 on"),
        (
            {"pairs": {"confidence": 0.4}},
            3,
            "pairs.confidence: 0.4 is out of 0.5 to 0.999. Write one such as 0.95",
        ),
        (
            {"pairs": {"confidence": 1}},
            3,
            "pairs.confidence: 1 is out of 0.5 to 0.999. Write one such as 0.95",
        ),
        (
            {"pairs": {"confidence": 0}},
            3,
            "pairs.confidence: 0 is out of 0.5 to 0.999. Write one such as 0.95",
        ),
        (
            {"phases": {"fault_s": 0}},
            5,
            "phases.fault_s: 0 s is out of range. Write more than 0 and at most 3600",
        ),
        (
            {"phases": {"recovery_s": "2 h"}},
            4,
            "phases.recovery_s: 7200 s is out of range. Write more than 0 and at most 3600",
        ),
        (
            {"phases": {"warm_up_s": "2 x"}},
            4,
            "phases.warm_up_s: '2 x' has an unknown unit of time. Write ms, s, min or h",
        ),
    ],
)
def test_what_is_out_of_range_is_told_in_its_line_and_left_out(
    values: dict[str, object], line: int, words: str
) -> None:
    found = settings(**values)
    read = (found.load_ratio(), found.phases(), found.confidence_ratio())
    assert read == (None, {}, 0.95)
    assert found.problems == [Problem(line, words)]
