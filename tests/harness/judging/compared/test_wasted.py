import pytest

from tests.harness.judging.compared.handmade import Fate, fault, measured

WASTED = ("wasted_token_excess", "all")


def every_fifth(caller, number, at_s):
    return Fate(kind="timeout", used=5) if number % 5 == 0 else Fate()


def every_other(caller, number, at_s):
    return Fate(kind="timeout", used=5) if number % 2 == 0 and fault(at_s) else Fate()


def test_waste_is_what_exceeds_that_of_the_control():
    found = measured(every_other, calm=every_fifth)[WASTED]
    assert found.before == pytest.approx(
        5 / 45, rel=0.02
    )  # of each five 5 tokens for nobody, 40 for somebody
    assert found.during == pytest.approx(5 / 15, rel=0.02)
    assert found.value == found.during - found.before
    assert found.proved


def test_the_same_waste_is_none():
    assert measured(every_fifth, calm=every_fifth)[WASTED].value == 0
