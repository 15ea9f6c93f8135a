import pytest

from harness.errors import BadInput, CleanupUnverified, EnvironmentFault, LimplockError, unknown
from harness.exit_codes import ExitCode, worst
from harness.interrupts import HungUp, Interrupted, Terminated


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 1], 1),
        ([3, 1, 0], 1),
        ([3, 0], 3),
        ([4, 1], 1),
        ([6, 1, 3], 6),
        ([6, 70], 6),
        ([70, 1], 70),
        ([5, 1], 5),
    ],
)
def test_the_worst_of_several_runs_wins_and_fail_outranks_inconclusive(
    codes: list[int], expected: int
) -> None:
    assert worst(*map(ExitCode, codes)) == expected


def test_the_codes_are_the_documented_ones() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "PASS": 0,
        "FAIL": 1,
        "BAD_INPUT": 2,
        "INCONCLUSIVE": 3,
        "ENVIRONMENT": 4,
        "ABORTED": 5,
        "UNCLEAN": 6,
        "BUG": 70,
        "HUNG_UP": 129,
        "INTERRUPTED": 130,
        "TERMINATED": 143,
    }


def test_every_code_has_a_rank() -> None:
    for code in ExitCode:
        assert worst(code) == code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput, 2),
        (EnvironmentFault, 4),
        (CleanupUnverified, 6),
        (LimplockError, 70),
        (HungUp, 129),
        (Interrupted, 130),
        (Terminated, 143),
    ],
)
def test_every_error_knows_its_exit_code(error: type[LimplockError], code: int) -> None:
    assert error("x").exit_code == code


def test_an_unknown_name_is_answered_with_the_closest_and_all() -> None:
    assert str(unknown("fault", "slow_stps", ["killed", "slow_steps"])) == (
        "unknown fault 'slow_stps'. Closest: slow_steps. All: killed, slow_steps"
    )


def test_a_name_like_no_other_gets_no_closest_one() -> None:
    assert "Closest" not in str(unknown("fault", "xyz", ["killed"]))
