from math import inf

import numpy as np
import pytest

from harness.judging.compared.stopping import ended_s
from tests.harness.judging.compared.handmade import Fate, fault, laid_out, measured

SENDING, CAPTURE = ("sending_stopped_s", "worker-0"), ("capture_ended_s", "worker-0")
BENCHED_S = 18.0


def at_worker_0(caller, number):
    return caller == "chat" and number % 4 == 0


def benched(caller, number, at_s, *, probe=False):
    """From 18 s on chat is sent to worker-1 instead, but for one in forty; at worker-0 it takes 6 s."""
    if not fault(at_s) or not at_worker_0(caller, number):
        return Fate()
    if at_s < BENCHED_S or (probe and number % 40 == 0):
        return Fate(took_s=6.0)
    return Fate(worker="worker-1")


def test_nothing_new_is_sent_from_the_end_of_the_last_window_that_had_some():
    """Ten attempts there take 4 s, so windows end at 16, 20, 24 s: the one up to 20 s has the last."""
    assert measured(benched)[SENDING].value == pytest.approx(8.0)


def test_a_probe_now_and_then_is_no_sending():
    found = measured(lambda *request: benched(*request, probe=True))
    assert found[SENDING].value == pytest.approx(8.0)


def test_who_goes_on_sending_never_stopped_and_the_bound_says_how_long_that_was():
    found = measured(lambda caller, number, at_s: Fate(took_s=2.0 if at_worker_0(caller, number) else 0.5))
    assert found[SENDING].value == inf
    assert found[SENDING].lower == 20


def test_where_nobody_is_sent_anywhere_nothing_was_stopped():
    """All of chat waits for slots as long as the fault lasts, and is served one after another then."""

    def stuck(caller, number, at_s):
        return Fate(waited_s=20.5 if caller == "chat" and fault(at_s) else 0.0)

    assert measured(stuck)[SENDING].value == inf


def test_the_slots_are_free_again_once_fewer_than_twice_the_fair_share_are_held():
    """2.5 a second that take 6 s are 15 of 24 slots; 12 are twice a quarter, and fewer from 19.2 s on."""
    found = measured(benched)[CAPTURE]
    assert found.value == pytest.approx(7.2, abs=0.5)
    assert found.lower == found.value


def test_who_never_held_more_than_that_held_nothing_up():
    assert measured()[CAPTURE].value == 0


def test_pressure_travels_for_as_long_as_the_law_says_until_it_is_too_late():
    case = laid_out(benched)
    travel_s = case.prediction.travel_s or 10.0
    found = measured(benched)[SENDING]
    assert (found.mild, found.severe) == (travel_s, 3 * travel_s)


@pytest.mark.parametrize(
    ("there", "seconds"),
    [([0, 0, 0], 0.0), ([1, 0, 0], 2.0), ([1, 0, 1, 0], 6.0), ([0, 0, 1], inf)],
)
def test_what_comes_back_has_not_ended(there, seconds):
    assert ended_s(np.arange(len(there) + 1) * 2.0, np.array(there, dtype=bool)) == seconds
