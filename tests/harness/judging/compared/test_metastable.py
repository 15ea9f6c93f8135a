from math import inf

import pytest

from harness.judging.compared.metastable import busy_ratio
from harness.judging.windows import Window
from tests.harness.judging.compared.handmade import END_S, START_S, Fate, laid_out, measured

STUCK = ("metastable", "all")


def stuck(caller, number, at_s):
    return Fate(kind="timeout" if at_s >= START_S else "ok")


def full(at_s):
    return 8.0 if at_s >= START_S else 2.0


def test_broken_busy_and_asked_for_no_more_than_before_is_metastable():
    found = measured(stuck, running=full)[STUCK]
    assert found.value == 1
    assert found.deciding
    assert found.proved
    assert (found.before, found.during) == (1.0, 0.0)


def recovering(caller, number, at_s):
    return stuck(caller, number, at_s if at_s < END_S + 5 else 0)


def relapsing(caller, number, at_s):
    """Good for three windows of 10 s, then as bad as ever."""
    return stuck(caller, number, 0 if END_S <= at_s < END_S + 31 else at_s)


def half_broken(caller, number, at_s):
    return stuck(caller, number, at_s if number % 10 < 4 else 0)


@pytest.mark.parametrize(
    ("fates", "changes"),
    [
        (recovering, {"running": full}),  # it recovers
        (relapsing, {"running": full, "last_s": END_S + 100}),  # something else broke it again
        (half_broken, {"running": full}),  # more than half is good
        (stuck, {"running": lambda at_s: 6.0}),  # nothing is busy
    ],
    ids=["recovers", "relapses", "is half good", "is idle"],
)
def test_each_of_the_conditions_is_needed(fates, changes):
    found = measured(fates, **changes)[STUCK]
    assert found.value == 0
    assert not found.suspected


def test_a_load_that_is_larger_than_before_explains_it():
    """With half of the requests before the fault it is overloaded afterwards, and not stuck."""
    found = measured(stuck, running=full, sent=lambda number, at_s: at_s >= START_S or number % 2 == 0)[STUCK]
    assert found.during == 0
    assert found.value == 0


@pytest.mark.parametrize("short", [{"seats": 4, "running": lambda at_s: 4.0}, {"timeout_s": 7.0}])
def test_a_recovery_too_short_to_tell_it_from_a_slow_drain_says_nothing(short):
    assert STUCK not in measured(stuck, **{"running": full} | short)


def test_batches_are_as_busy_as_their_seats_are_taken():
    case = laid_out(running=lambda at_s: 2.0 if at_s < 20 else 6.0)
    assert busy_ratio(case, Window(10, 20)) == pytest.approx(0.25)
    assert busy_ratio(case, Window(19, 21)) == pytest.approx(0.5)
    assert busy_ratio(case, Window(100, 101)) is None


def test_never_is_never():
    assert measured(stuck, running=full)["time_to_recover_s", "all"].value == inf
