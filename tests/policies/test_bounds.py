"""Range checks and their one line."""

import math
from dataclasses import dataclass
from typing import Any

import pytest

from policies.bounds import check, check_switch
from policies.policy import Policy


@dataclass
class Knob(Policy):
    name = "knob"
    value: Any


@pytest.mark.parametrize("value", [0, -1, math.nan, "5", None, True])
def test_what_is_no_number_above_the_bound_is_refused_in_one_line(value):
    with pytest.raises(ValueError, match=r"^knob: value must be a number above 0, got .*$") as refusal:
        check(Knob(value), "value", above=0)
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize("value", [0, 0.5, 1])
def test_the_ends_of_a_closed_range_are_in_it(value):
    check(Knob(value), "value", at_least=0, at_most=1)


@pytest.mark.parametrize("value", [-0.001, 1.001])
def test_a_closed_range_is_named_with_both_ends(value):
    with pytest.raises(ValueError, match="a number at least 0 and at most 1, got"):
        check(Knob(value), "value", at_least=0, at_most=1)


def test_half_a_whole_number_is_refused():
    with pytest.raises(ValueError, match=r"a whole number at least 1, got 2\.5"):
        check(Knob(2.5), "value", at_least=1, whole=True)


@pytest.mark.parametrize("value", ["false", 1, None])
def test_a_switch_is_true_or_false_and_nothing_like_it(value):
    check_switch(Knob(True), "value")
    with pytest.raises(ValueError, match="knob: value must be true or false, got"):
        check_switch(Knob(value), "value")
