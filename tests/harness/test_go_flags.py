"""Command lines in the form of Go programs, as people have them in their scripts."""

import pytest

from harness.errors import BadInput
from harness.go_flags import from_go

SWITCHES = ("proxy-metrics", "version")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("-port 1 --host=h", "--port 1 --host=h"),
        ("-seed -5 -version", "--seed -5 --version"),
        ("-config -odd.json", "--config -odd.json"),
        ("-config=a=b.json", "--config=a=b.json"),
        ("-proxy-metrics=true", "--proxy-metrics"),
        ("--proxy-metrics=F -port 1", "--port 1"),
        ("-proxy-metrics -port 1", "--proxy-metrics --port 1"),
        ("-host -proxy-metrics", "--host -proxy-metrics"),
        ("extra - --", "extra - --"),
    ],
)
def test_one_dash_or_two_and_values_behind_a_sign_or_a_blank(theirs: str, ours: str) -> None:
    assert from_go(theirs.split(), SWITCHES) == ours.split()


@pytest.mark.parametrize("value", ["maybe", "yes", "tRUE", ""])
def test_a_switch_is_true_or_false(value: str) -> None:
    with pytest.raises(BadInput, match=f"-version must be true or false, got '{value}'"):
        from_go([f"-version={value}"], SWITCHES)
