import pytest

from harness.judging.queueing import unavoidable_loss_ratio
from tests.harness.judging.compared.handmade import Fate, fault, measured

KEPT, EXCESS = ("containment_ratio", "bystanders"), ("excess_loss", "all")


def half_of_chat_and_a_tenth_of_local(caller, number, at_s):
    lost = fault(at_s) and ((caller == "chat" and number % 2) or (caller == "local" and number % 10 == 0))
    return Fate(kind="error" if lost else "ok")


def test_whose_loss_it_was():
    """Of 25 a second chat loses 5 and local 1."""
    found = measured(half_of_chat_and_a_tenth_of_local)[KEPT]
    assert found.value == pytest.approx(5 / 6, rel=0.01)
    assert found.lower <= found.value <= found.upper
    assert found.less
    assert found.proved
    assert found.severe < found.value < found.mild


def test_a_loss_is_compared_with_what_no_policy_could_save():
    """Four seats, 10 steps of 0.1 s: 4 a second each, and one worker ten times slower."""
    found = measured(half_of_chat_and_a_tenth_of_local, seats=4)[EXCESS]
    asking = 15 / 25  # local needs no worker, so nothing of it had to be lost
    assert found.before == pytest.approx(asking * unavoidable_loss_ratio(4, 15 / 16, 10), rel=0.01)
    assert found.during == pytest.approx(6 / 25, rel=0.01)
    assert found.value == pytest.approx(found.during / found.before)


def test_where_nothing_had_to_be_lost_half_a_percent_is_the_measure():
    assert measured(half_of_chat_and_a_tenth_of_local)[EXCESS].before == 0.005


def test_bystanders_that_gain_are_no_negative_loss():
    def worse_for_local(caller, number, at_s):
        return Fate(kind="error" if caller == "local" and number % 2 and fault(at_s) else "ok")

    def chat_only(caller, number, at_s):
        return Fate(kind="error" if caller == "chat" and fault(at_s) else "ok")

    assert measured(chat_only, calm=worse_for_local)[KEPT].value == 1


def test_of_nothing_lost_there_is_no_share():
    found = measured()
    assert KEPT not in found
    assert EXCESS not in found
