from math import inf

import pytest

from harness.judging.figures import amount, count, factor, seconds, share


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (inf, "never"),
        (0.0021, "2ms"),
        (0.0996, "0.10s"),
        (0.994, "0.99s"),
        (0.999, "1.0s"),
        (9.94, "9.9s"),
        (9.96, "10s"),
        (123.4, "123s"),
    ],
)
def test_durations_are_short_and_have_a_unit(value, shown):
    assert seconds(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (0.0, "0"), (-1e-9, "0"), (1.26, "1.3"), (31.4, "31"), (1234.0, "1,234")],
)
def test_counts_lose_their_decimals_when_they_grow(value, shown):
    assert count(value) == shown


def test_shares_and_factors():
    assert (share(0.975), share(None)) == ("98%", "-")
    assert (factor(1.257), factor(38.2), factor(inf)) == ("x1.26", "x38", "xinf")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (3e-17, "0"), (1.5e-4, "0.00015"), (4.812, "4.81"), (999.7, "1,000"), (1500.0, "1,500")],
)
def test_an_amount_is_never_a_power_of_ten(value, shown):
    assert amount(value) == shown
