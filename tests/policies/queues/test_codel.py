"""A burst or a standing line: numbers in, verdict out."""

from policies.queues.codel import Codel

TARGET_S, INTERVAL_S = 0.25, 2.0


def dropped(waits, codel=None):
    """When of (time, wait) pairs something is dropped."""
    codel = codel or Codel(TARGET_S, INTERVAL_S)
    return [now for now, waited_s in waits if codel.drops(waited_s, now)]


def every(step_s, until_s, waited_s, from_s=0.0):
    return [(from_s + step_s * i, waited_s) for i in range(round((until_s - from_s) / step_s))]


def test_waits_up_to_the_target_never_drop_anything():
    assert dropped(every(0.1, 100, TARGET_S)) == []
    assert (
        dropped([(now, TARGET_S * (1 + 3 * (i % 2))) for i, (now, _) in enumerate(every(0.1, 100, 0))]) == []
    )


def test_a_standing_line_drops_after_one_interval_and_not_before():
    assert dropped(every(0.125, 10, 1.0))[0] == INTERVAL_S + 0.125


def test_an_interval_that_began_with_short_waits_does_not_count():
    waits = every(0.125, 0.25, 0.0) + every(0.125, 10, 1.0, from_s=0.25)
    assert dropped(waits)[0] == 2 * INTERVAL_S + 0.125


def test_a_burst_shorter_than_an_interval_drops_nothing_however_long_its_waits():
    burst = every(0.1, 1.9, 5.0)
    assert dropped([*every(0.1, 10, 0.0), *((20 + now, wait) for now, wait in burst), (22.0, 0.0)]) == []


def test_one_short_wait_in_an_interval_is_enough_to_call_it_a_burst():
    waits = [(now, 0.1 if round(now * 10) % 15 == 0 else 3.0) for now, _ in every(0.1, 30, 0.0)]
    assert dropped(waits) == []


def test_while_the_line_stands_only_waits_above_twice_the_target_are_dropped():
    codel = Codel(TARGET_S, INTERVAL_S)
    dropped(every(0.1, 4.5, 1.0), codel)
    assert codel.overloaded
    assert [codel.drops(waited_s, 4.6) for waited_s in (0.4, 0.5, 0.51)] == [False, False, True]


def test_dropping_ends_with_the_interval_in_which_a_wait_was_short_again():
    codel = Codel(TARGET_S, INTERVAL_S)
    dropped(every(0.1, 4.5, 1.0), codel)
    assert not codel.drops(0.0, 4.6)
    assert codel.drops(1.0, 4.7)
    assert not codel.drops(1.0, 6.5)
    assert not codel.overloaded
    assert not codel.drops(1.0, 6.6)


def test_a_standing_line_of_long_ago_is_forgotten_when_nobody_waits_now():
    codel = Codel(TARGET_S, INTERVAL_S)
    dropped(every(0.1, 4.5, 1.0), codel)
    assert dropped([(100.0, 0.0), (100.1, 5.0), (100.2, 5.0)], codel) == []
