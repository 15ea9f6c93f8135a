import pytest

from harness.judging.compared.untouched import untouched_inflation
from tests.harness.judging.compared.handmade import Fate, fault, laid_out, measured


def slow_elsewhere(caller, number, at_s):
    """Requests at worker-0 take 3 s; those at the others 1.4 s instead of 0.5 s."""
    if not fault(at_s) or caller != "chat":
        return Fate()
    return Fate(took_s=3.0 if number % 4 == 0 else 1.4)


def test_only_those_count_that_never_met_the_fault():
    found = {each.quantile: each for each in untouched_inflation(laid_out(slow_elsewhere))}
    assert list(found) == [0.5, 0.95]
    assert found[0.95].before == pytest.approx(0.5)
    assert found[0.95].during == pytest.approx(1.4)
    assert found[0.95].value == pytest.approx(1.5 / 0.6)
    assert found[0.95].proved


def test_it_explains_and_does_not_decide():
    found = untouched_inflation(laid_out(slow_elsewhere))
    assert not any(each.deciding for each in found)


def test_a_fault_that_only_hurts_whom_it_met_leaves_them_alone():
    slow = measured(
        lambda caller, number, at_s: Fate(
            took_s=3.0 if fault(at_s) and caller == "chat" and number % 4 == 0 else 0.5
        )
    )
    assert slow["untouched_inflation", "untouched requests"].value == pytest.approx(1.0)
