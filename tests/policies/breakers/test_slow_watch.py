"""Numbers in, numbers out."""

import math
import random

from policies.breakers.slow_watch import SlowWatch


def test_nothing_is_due_before_its_time_has_passed():
    watch = SlowWatch()
    watch.look_at("a", 2.0)
    assert watch.take_due(1.9) == watch.take_due(2.0) == []
    assert watch.take_due(2.1) == ["a"]


def test_what_was_taken_is_not_watched_any_more_until_it_is_asked_for_again():
    watch = SlowWatch()
    watch.look_at("a", 2.0)
    assert [watch.take_due(3.0), watch.take_due(4.0)] == [["a"], []]
    watch.look_at("a", 4.0)
    assert watch.take_due(5.0) == ["a"]


def test_the_first_due_comes_first_and_at_one_time_the_first_asked_for():
    watch = SlowWatch()
    for thing, when_s in (("late", 3.0), ("b", 1.0), ("a", 1.0), ("soon", 0.5), ("never", math.inf)):
        watch.look_at(thing, when_s)
    assert watch.take_due(4.0) == ["soon", "b", "a", "late"]
    assert watch.take_due(1e300) == []


def test_what_is_never_due_is_not_kept():
    watch = SlowWatch()
    for number in range(100):
        watch.look_at(number, math.inf)
    assert len(watch) == 0


def test_things_need_no_order_of_their_own():
    watch, things = SlowWatch(), [object() for _ in range(3)]
    for thing in things:
        watch.look_at(thing, 1.0)
    assert watch.take_due(2.0) == things


def test_every_thing_is_taken_at_the_first_look_after_its_time():
    rng, watch = random.Random(1), SlowWatch()
    due_s = {number: rng.uniform(0, 10) for number in range(500)}
    for number, when_s in due_s.items():
        watch.look_at(number, when_s)
    before = 0.0
    for now in sorted(rng.uniform(0, 11) for _ in range(50)):
        expected = [n for n, when_s in due_s.items() if before <= when_s < now]
        assert watch.take_due(now) == sorted(expected, key=due_s.get)
        before = now
