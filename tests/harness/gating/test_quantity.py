import pytest

from harness.gating.quantity import Written, read_factor, read_limit, read_number, read_seconds, read_share


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2 s", 2),
        ("2s", 2),
        ("500 ms", 0.5),
        ("1.5min", 90),
        (".5 h", 1800),
        (2, 2),
        (0.25, 0.25),
        ("1e3 ms", 1),
    ],
)
def test_a_duration_has_a_unit_or_is_seconds(written: Written, seconds: float) -> None:
    assert read_seconds(written) == pytest.approx(seconds)
    assert read_limit(written, "s") == read_seconds(written)


@pytest.mark.parametrize(
    ("written", "share"), [(0.02, 0.02), ("2%", 0.02), ("2 %", 0.02), (1, 1), ("100%", 1), (0, 0)]
)
def test_a_share_is_a_number_up_to_one_or_a_percentage(written: Written, share: float) -> None:
    assert read_share(written) == pytest.approx(share)
    assert read_limit(written, "share") == read_share(written)


def test_a_factor_and_all_else_are_plain_numbers() -> None:
    assert read_factor(1.5) == read_limit(1.5, "factor") == 1.5
    assert read_factor(2) == 2
    assert read_limit(7, "requests") == read_number(7, "") == 7


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("150%", "'150%' is no factor (x1.5 or +150%?). Write 1.5"),
        ("+50%", "'+50%' is no factor. Write 1.5"),
        ("-20%", "'-20%' is no factor. Write 0.8"),
        ("x1.5", "'x1.5' is text, a factor is a plain number. Write 1.5"),
        ("1.5x", "'1.5x' is text, a factor is a plain number. Write 1.5"),
        ("1.5", "'1.5' is text, a factor is a plain number. Write 1.5"),
        ("2 s", "'2 s' is no factor. Write a plain number such as 1.5"),
        ("1e400%", "'1e400%' is no factor. Write a plain number such as 1.5"),
        (0, "a factor of 0 holds for nothing. Write one such as 1.5"),
        (-1, "-1 is below 0. Write a number from 0 on"),
    ],
)
def test_what_may_be_two_factors_is_refused_with_what_to_write(written: Written, words: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # its words are compared
        read_factor(written)
    assert str(refused.value) == words


@pytest.mark.parametrize("number", [float("inf"), float("nan"), float("-inf"), -1, -0.001])
@pytest.mark.parametrize("unit", ["s", "share", "factor", "requests"])
def test_a_limit_is_finite_and_not_negative(number: float, unit: str) -> None:
    with pytest.raises(ValueError, match=r"is not finite\. Write a number|is below 0\. Write a number"):
        read_limit(number, unit)


@pytest.mark.parametrize(
    ("written", "unit", "words"),
    [
        ("2%", "s", "'2%' has an unknown unit of time. Write ms, s, min or h"),
        ("2 m", "s", "'2 m' has an unknown unit of time. Write ms, s, min or h"),
        ("2 secs", "s", "'2 secs' has an unknown unit of time. Write s"),
        (
            "2",
            "s",
            "'2' is text. Write it without quotes, or with a unit: 2 s, 500 ms or a number of seconds",
        ),
        ("soon", "s", "'soon' is not a duration. Write 2 s, 500 ms or a number of seconds"),
        ("1_0 s", "s", "'1_0 s' is not a duration. Write 2 s, 500 ms or a number of seconds"),
        ("-2 s", "s", "'-2 s' is below 0. Write a number from 0 on"),
        ("1e999 s", "s", "'1e999 s' is not finite. Write a number"),
        ("٣ s", "s", "'٣ s' is not a duration. Write 2 s, 500 ms or a number of seconds"),
        (97, "share", "97 is a share above 1. Write 0.97 or 97%"),
        (1.5, "share", "1.5 is a share above 1. Write at most 1, which is 100%"),
        ("150%", "share", "'150%' is a share above 1. Write at most 1, which is 100%"),
        ("2 s", "share", "'2 s' is no share. Write 0.02 or 2%"),
        ("-2%", "share", "'-2%' is below 0. Write a number from 0 on"),
        (
            "5%",
            "attempts",
            "'5%' is no plain number, and it is in attempts. Write it without quotes and unit",
        ),
    ],
)
def test_a_wrong_unit_is_refused_with_what_to_write(written: Written, unit: str, words: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # its words are compared
        read_limit(written, unit)
    assert str(refused.value) == words
