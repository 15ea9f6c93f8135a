"""How many attempts a worker was seen to serve at once."""

from policies.outliers.seats import Seats


def seen(held, span_s=30.0, now=0.0):
    seats = Seats(span_s)
    for worker, number in held.items():
        for _ in range(number):
            seats.taken(worker, now)
    return seats


def test_the_most_that_any_worker_served_at_once_is_known():
    seats = seen({"w0": 3, "w1": 5})
    seats.left("w1", 0.0)
    assert seats.known(1.0) == 5
    assert Seats(30.0).known(0.0) == 0


def test_what_is_held_is_remembered_and_what_was_is_forgotten_after_two_spans():
    seats = seen({"w0": 5})
    for _ in range(3):
        seats.left("w0", 0.0)
    assert [seats.known(t) for t in (59.0, 61.0)] == [5, 2]
    gone = seen({"w0": 5})
    for _ in range(5):
        gone.left("w0", 0.0)
    assert gone.known(1000.0) == 0


def test_a_seat_is_free_while_there_are_as_many_as_attempts():
    seats = seen({"w0": 8, "w1": 5})
    assert seats.free("w1", 8, 60.0)
    assert not seats.free("w1", 9, 50.0)


def test_a_line_in_front_of_half_empty_seats_is_no_lack_of_seats():
    seats = seen({"w0": 8, "w1": 4})
    assert seats.free("w1", 20, 50.0)


def test_a_moment_of_empty_seats_while_places_change_makes_none_free():
    seats = seen({"w0": 8})
    for _ in range(7):
        seats.left("w0", 50.0)
    assert not seats.free("w0", 20, 50.1)
    assert seats.free("w0", 20, 53.0)


def test_a_line_that_has_just_begun_is_one():
    seats = seen({"w1": 4})
    for _ in range(4):
        seats.taken("w0", 50.0)
    assert not seats.free("w0", 5, 50.1)


def test_the_shortest_of_spans_forgets_all_but_what_is_held():
    seats = seen({"w0": 2}, span_s=1e-308)
    assert seats.known(100.0) == 2
