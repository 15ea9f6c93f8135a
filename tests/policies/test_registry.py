"""Policies by name."""

import pytest

from policies.breakers.breaker_window import BreakerWindow
from policies.registry import make, parameter_defaults
from policies.retries.retry import Retry


def test_a_policy_is_made_from_its_name_and_parameters():
    assert make("retry", {"max_attempts": 3}) == Retry(max_attempts=3)
    assert isinstance(make("breaker_window"), BreakerWindow)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("breaker_windw", {}, "unknown policy 'breaker_windw'; closest: breaker_window; known: none, "),
        ("zzz", {}, "unknown policy 'zzz'; known: none, "),
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


def test_the_parameters_that_can_be_set_are_listed_with_their_defaults():
    assert parameter_defaults("bulkhead") == {"max_in_flight": 8}
    assert "rng" not in parameter_defaults("breaker_window")
    assert parameter_defaults("none") == {}
