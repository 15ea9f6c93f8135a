"""Policies by name."""

from dataclasses import dataclass

import pytest

from policies.breakers.breaker_window import BreakerWindow
from policies.policy import Policy
from policies.registry import FAMILIES, POLICIES, fit, make, make_of, parameter_defaults
from policies.retries.retry import Retry


def test_a_policy_is_made_from_its_name_and_parameters():
    assert make("retry", {"max_attempts": 3}) == Retry(max_attempts=3)
    assert isinstance(make("breaker_window"), BreakerWindow)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        (
            "breaker_windw",
            {},
            "unknown policy 'breaker_windw'; closest: breaker_window; `limplock list",
        ),
        ("zzz", {}, "unknown policy 'zzz'; `limplock list policies` has all"),
        ("retry", {"max_atempts": 3}, "retry: unknown parameter 'max_atempts'; closest: max_attempts; "),
        ("none", {"x": 1}, "none: unknown parameter 'x'; known: it has none at all"),
        ("bulkhead", {"_held": {}}, "bulkhead: unknown parameter '_held'; "),
        ("breaker_window", {"rng": 3}, "breaker_window: unknown parameter 'rng'; "),
        ("retry", {"max_attempts": 0}, "retry: max_attempts must be a whole number at least 1, got 0"),
        ("breaker_window", {"open_s": 500}, "open_s must be a number above 0 and at most 120, got 500"),
        ("breaker_pybreaker", {"scope": "x"}, "scope must be one of worker, service, got 'x'"),
    ],
)
def test_what_is_unknown_or_out_of_range_is_one_line_that_says_what_would_do(name, parameters, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")) as refusal:
        make(name, parameters)
    assert "\n" not in str(refusal.value)


def test_the_unit_of_a_parameter_may_be_left_out():
    assert make("timeout", {"ttft": 2}) == make("timeout", {"ttft_s": 2})
    assert make("retry", {"budget": 0.1}) == make("retry", {"budget_ratio": 0.1})
    with pytest.raises(ValueError, match="timeout: ttft_s is given twice"):
        make("timeout", {"ttft": 2, "ttft_s": 3})


def test_of_two_parameters_that_differ_in_the_unit_one_has_to_be_said():
    @dataclass(frozen=True)
    class Both(Policy):
        wait_s: float = 1.0
        wait_ratio: float = 1.0
        grace: float = 1.0
        grace_s: float = 1.0

    with pytest.raises(ValueError, match=r"^both: wait may be wait_s or wait_ratio: say which$"):
        make_of(Both, "both", {"wait": 2})
    assert make_of(Both, "both", {"wait_ratio": 2, "grace": 3}) == Both(wait_ratio=2, grace=3)


def test_what_goes_by_its_place_is_the_parameter_at_that_place():
    assert fit("timeout", [1, 2], {"itl": 3}) == {"connect_s": 1, "ttft_s": 2, "itl": 3}
    assert fit("round_robin", [], {}) == {}


def test_every_policy_stands_in_the_list_of_its_family_once_and_in_no_other():
    listed = [policy for family in FAMILIES for policy in family.POLICIES]
    assert len(set(listed)) == len(listed) == len(POLICIES) - 1
    assert len({policy.__module__ for policy in listed}) == len(listed)
    for family in FAMILIES:
        assert all(policy.__module__.startswith(f"{family.__name__}.") for policy in family.POLICIES)


def test_the_parameters_that_can_be_set_are_listed_with_their_defaults():
    assert parameter_defaults("least_request") == {"choices": 2}
    assert "rng" not in parameter_defaults("breaker_window")
    assert parameter_defaults("none") == {}
