"""The inside of a sidecar, without a process: orders, answers, and the three ways in which it ends."""

import multiprocessing
import threading
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection

import pytest

from harness.serving.sidecar_process import Order, Told, _serve


class Remembering:
    """A deed that does nothing."""

    def __init__(self) -> None:
        self.taken: list[object] = []

    def take(self, wanted: object) -> None:
        if wanted == "too much":
            raise OSError("that is too much")
        self.taken.append(wanted)

    def go_on(self) -> float:
        return 60.0

    def seen(self) -> Mapping[str, float]:
        return {"taken": float(len(self.taken))}

    def undo(self) -> None:
        self.taken.clear()


@pytest.fixture
def pipe() -> Iterator[tuple[Connection, Connection]]:
    main, theirs = multiprocessing.Pipe()
    with main, theirs:
        yield main, theirs


def test_each_order_is_answered_with_its_number_and_what_is_seen(pipe: tuple[Connection, Connection]) -> None:
    main, theirs = pipe
    deed = Remembering()
    serving = threading.Thread(target=_ended, args=(theirs, deed))
    serving.start()
    answers = []
    for order in (Order(1, "a", 60), Order(2), Order(3, "too much", 60)):
        main.send(order)
        told: Told = main.recv()
        answers.append((told.number, told.refused, told.seen["taken"]))
    main.close()
    serving.join(10)
    assert not serving.is_alive()
    assert answers == [(1, "", 1), (2, "", 1), (3, "that is too much", 1)]


def test_a_lease_that_nobody_renews_ends_it_and_a_question_renews_nothing(
    pipe: tuple[Connection, Connection],
) -> None:
    main, theirs = pipe
    main.send(Order(1, "a", 0.05))
    main.send(Order(2))
    _serve(theirs, Remembering())
    assert [main.recv().number, main.recv().number] == [1, 2]


def _ended(theirs: Connection, deed: Remembering) -> None:
    with pytest.raises(EOFError):
        _serve(theirs, deed)
