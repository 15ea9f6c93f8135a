import pytest

from tests.harness.judging.compared.handmade import Fate, fault, measured

HEALTHY = ("healthy_attempts", "healthy workers")


def benched(caller, number, at_s):
    return Fate(worker="worker-1" if fault(at_s) and caller == "chat" else "")


def test_who_is_sent_elsewhere_lands_on_the_healthy_workers():
    found = measured(benched)[HEALTHY]
    assert found.before == pytest.approx(12.5, rel=0.02)  # three quarters of 10, and 5
    assert found.during == pytest.approx(15.0, rel=0.02)
    assert found.value == pytest.approx(found.during / found.before)
    assert found.lower <= found.value <= found.upper
    assert found.mild < found.value < found.severe


def test_a_fault_that_moves_nobody_changes_nothing():
    assert measured()[HEALTHY].value == 1
