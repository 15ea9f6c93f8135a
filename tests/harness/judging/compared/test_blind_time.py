import pytest

from tests.harness.judging.compared.handmade import Fate, measured

BLIND = ("blind_s", "bystanders")


def waits(caller, number, at_s):
    """Five seconds long local waits 0.5 s: 5 times 0.1 s more than nothing."""
    return Fate(waited_s=0.5 if caller == "local" and 15 <= at_s < 20 else 0.0)


def test_seconds_count_in_which_bystanders_wait_and_the_worker_says_it_is_well():
    assert measured(waits)[BLIND].value == pytest.approx(5)


def test_waiting_no_more_than_twice_as_long_is_no_suffering():
    slightly = measured(lambda caller, *_: Fate(waited_s=0.09 if caller == "local" else 0.0))
    assert slightly[BLIND].value == 0


def test_only_bystanders_count():
    assert (
        measured(lambda caller, _, at_s: Fate(waited_s=2.0 if caller == "chat" and 15 <= at_s < 20 else 0.0))[
            BLIND
        ].value
        == 0
    )


def test_a_worker_that_is_down_is_seen_by_everybody():
    assert measured(waits, up=lambda at_s: float(at_s < 17))[BLIND].value == pytest.approx(2)


def test_a_health_check_that_takes_too_long_says_that_something_is_wrong():
    found = measured(waits, health_s=lambda at_s: 0.01 if at_s < 17 else 3.0)[BLIND]
    assert found.value == pytest.approx(3)  # the last good answer, of 16.5 s, counts up to 18 s


def test_the_control_is_what_it_is_measured_by():
    assert measured(waits, calm=waits)[BLIND].value == 0


def test_where_nobody_sends_enough_in_a_second_nothing_is_said():
    """5 a second by tenant and 10 by local; a median needs 6."""
    assert BLIND not in measured(waits, sent=lambda number, at_s: number % 2 == 0)
