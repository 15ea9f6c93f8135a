from math import inf

import pytest

from harness.judging.compared.recovery import window_s
from harness.judging.windows import Window
from tests.harness.judging.compared.handmade import END_S, START_S, Fate, laid_out, measured

BACK, REST = ("time_to_recover_s", "all"), ("residual_impact", "all")


def broken_until(end_s, caller="chat", **fate):
    def fates(name, number, at_s):
        return Fate(**fate) if name == caller and START_S <= at_s < end_s else Fate()

    return fates


@pytest.mark.parametrize("caller", ["chat", "local"])
def test_it_is_back_when_three_windows_in_a_row_are_good_again(caller):
    """Windows of 5 s that start every 1.25 s: the one from 33.25 s on still has 0.75 s that are bad."""
    found = measured(broken_until(END_S + 2, caller, kind="error"))[BACK]
    assert found.value == pytest.approx(2.5)
    assert found.lower == found.value


@pytest.mark.parametrize("caller", ["chat", "local"])
def test_a_few_that_fail_are_no_recovery_either_though_nobody_else_waits(caller):
    """One in twelve: too few for the latency at p90, more than 5 % of the good answers of its group."""

    def ailing(name, number, at_s):
        lost = name == caller and number % 12 == 0 and START_S <= at_s < END_S + 20
        return Fate(kind="error" if lost else "ok")

    assert measured(ailing)[BACK].value > 10


def test_good_answers_that_take_longer_are_no_recovery_yet():
    found = measured(broken_until(END_S + 2, took_s=0.7))[BACK]
    assert found.value == pytest.approx(2.5)
    assert measured(broken_until(END_S + 2, took_s=0.6))[BACK].value == 0


def test_a_relapse_is_no_recovery():
    def relapsing(caller, number, at_s):
        return Fate(kind="error" if caller == "chat" and (at_s < END_S + 2 or 45 <= at_s < 46) else "ok")

    assert measured(relapsing)[BACK].value == pytest.approx(14.0, abs=0.5)


def test_who_never_came_back_is_infinite_and_was_watched_for_so_long():
    found = measured(broken_until(inf, kind="error"))[BACK]
    assert found.value == inf
    assert found.lower == 30
    assert found.severe == 30


def test_what_is_as_bad_without_the_fault_has_recovered():
    sick = broken_until(inf, kind="error")
    assert measured(sick, calm=sick)[BACK].value == 0


def test_slow_is_longer_than_twice_what_the_drain_takes_by_its_law():
    """7.5 under way and 32 - 15 a second to spare: sooner than a window of 5 s."""
    assert measured()[BACK].mild == pytest.approx(10)
    assert measured(seats=4)[BACK].mild == pytest.approx(2 * 7.5 / 1, rel=0.15)


@pytest.mark.parametrize(("recovery_s", "length_s"), [(6, 1), (30, 5), (60, 10), (600, 10)])
def test_windows_are_a_sixth_of_a_recovery_and_at_most_ten_seconds(recovery_s, length_s):
    assert window_s(Window(0, recovery_s)) == length_s


def test_a_fault_that_stays_leaves_nothing_to_recover_from():
    found = measured(broken_until(inf, kind="error"), heals=False)
    assert BACK not in found
    assert REST not in found


def test_the_residue_is_what_is_lost_after_it_came_back():
    """One in forty of chat's 10 of 25 a second."""
    found = measured(
        lambda caller, number, _: Fate(kind="error" if (caller, number % 40) == ("chat", 0) else "ok")
    )
    assert found[BACK].value == 0
    assert found[REST].value == pytest.approx(1 - 0.4 / 40, abs=0.001)
    assert not found[REST].suspected
    assert found[REST].less


def test_without_a_recovery_the_residue_is_that_of_the_last_third():
    """All of chat fails until 52 s, and a half of it from there on."""

    def ailing(caller, number, at_s):
        lost = caller == "chat" and at_s >= START_S and (at_s < END_S + 20 or number % 2)
        return Fate(kind="error" if lost else "ok")

    found = measured(ailing)
    assert found[BACK].value == inf
    assert found[REST].value == pytest.approx(0.8, abs=0.01)
    assert found[REST].proved


@pytest.mark.parametrize("short", [{"seats": 4}, {"timeout_s": 7.0}])
def test_a_recovery_too_short_to_tell_leaves_the_residue_out(short):
    """Ten drains of 7.5 s, or five times a bound of 7 s, are more than 30 s."""
    assert REST not in measured(broken_until(inf, kind="error"), **short)


def test_the_same_stretch_of_the_control_counts_where_its_load_began_later():
    case = laid_out(broken_until(END_S + 2, kind="error"), shift_s=0.75)
    assert case.beside(Window(32, 37)) == Window(32.75, 37.75)
    assert measured(broken_until(END_S + 2, kind="error"), shift_s=0.75)[BACK].value == pytest.approx(2.5)


def test_what_both_have_at_the_same_time_since_their_load_began_is_no_difference():
    def both(caller, number, at_s):
        return Fate(kind="error" if caller == "chat" and (36.5 <= at_s < 37 or at_s >= 61) else "ok")

    found = measured(both, calm=both, shift_s=0.75)
    assert found[BACK].value == 0
    assert found[REST].value == 1


@pytest.mark.parametrize("left", [lambda number: False, lambda number: number % 40 == 0])
def test_where_next_to_nobody_is_left_to_ask_nothing_is_said_of_the_recovery(left):
    found = measured(sent=lambda number, at_s: at_s < END_S or left(number))
    assert BACK not in found
    assert REST not in found
    assert ("metastable", "all") not in found
