"""Which toxics of a proxy work on one connection, as its list changes."""

import pytest

from faults.toxiproxy.applied import Applied
from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from faults.toxiproxy.toxics.timeout import Timeout
from faults.toxiproxy.toxics.toxic import Toxic
from tests.faults.toxiproxy.streams import Stream, settle

STRICT = Mode(strict_compat=True)


class Stand:
    """A connection in memory under a list of toxics."""

    def __init__(self, *placements: Placement, mode: Mode = SANE) -> None:
        self.streams = {direction: Stream() for direction in Direction}
        self.placements = list(placements)
        links = {direction: stream.link for direction, stream in self.streams.items()}
        self.applied = Applied("1/p/1", self.placements, links, mode)

    def add(self, placement: Placement) -> None:
        self.placements.append(placement)
        self.applied.add(placement)

    def update(self, placement: Placement) -> None:
        places = [each.name for each in self.placements]
        self.placements[places.index(placement.name)] = placement
        self.applied.settle(placement)

    def remove(self, placement: Placement) -> None:
        self.applied.remove(placement)
        self.placements.remove(placement)

    @property
    def to_caller(self) -> Stream:
        return self.streams[Direction.TO_CALLER]

    def names(self, direction: Direction = Direction.TO_CALLER) -> list[str]:
        return self.streams[direction].link.names()


def placed(
    name: str, toxicity: float = 1.0, toxic: Toxic | None = None, stream: str = "downstream"
) -> Placement:
    return Placement(name, stream, toxic or Toxic(), toxicity)


async def test_toxics_work_on_their_own_direction_in_the_order_of_the_list() -> None:
    stand = Stand(placed("a"), placed("b", stream="upstream"), placed("c"))
    stand.add(placed("d"))
    assert stand.names() == ["a", "c", "d"]
    assert stand.names(Direction.TO_WORKER) == ["b"]


async def test_toxicity_zero_leaves_the_link_without_a_stage() -> None:
    stand = Stand(placed("a", 0.0), mode=SANE)
    assert stand.names() == []


async def test_one_that_comes_back_takes_its_place_in_the_list_again() -> None:
    stand = Stand(placed("a"), placed("b", 0.0), placed("c"))
    assert stand.names() == ["a", "c"]
    stand.update(placed("b"))
    assert stand.names() == ["a", "b", "c"]
    stand.update(placed("b", 0.0))
    assert stand.names() == ["a", "c"]


async def test_what_a_limit_let_through_counts_although_it_was_spared_for_a_while() -> None:
    stand = Stand(placed("a", toxic=LimitData(bytes=6)))
    await stand.to_caller.say(0.0, b"abcd")
    await settle()
    stand.update(placed("a", 0.0, LimitData(bytes=6)))
    await stand.to_caller.say(1.0, b"free")
    stand.update(placed("a", toxic=LimitData(bytes=6)))
    await stand.to_caller.say(2.0, b"efgh")
    await settle()
    assert stand.to_caller.data == b"abcdfreeef"
    assert stand.to_caller.ending == (2.0, End.CLOSE)


async def test_a_new_limit_of_the_same_name_counts_from_nothing() -> None:
    limit = placed("a", toxic=LimitData(bytes=4))
    stand = Stand(limit)
    await stand.to_caller.say(0.0, b"abc")
    await settle()
    stand.remove(limit)
    stand.add(limit)
    await stand.to_caller.say(1.0, b"defgh")
    await settle()
    assert stand.to_caller.data == b"abcdefg"


async def test_a_ramp_does_not_wake_a_toxic_that_is_spared() -> None:
    stand = Stand(placed("a", 0.0, Latency(latency=100)))
    stand.applied.ease(placed("a", 0.0, Latency(latency=200)))
    stand.to_caller.link.feed(b"x")
    assert stand.to_caller.data == b"x"


async def test_a_black_hole_that_is_spared_closes_since_bytes_are_missing() -> None:
    stand = Stand(placed("a", toxic=Timeout()))
    stand.update(placed("a", 0.0, Timeout()))
    assert stand.to_caller.ending == (0.0, End.CLOSE)


async def test_strictly_it_goes_on_with_bytes_missing() -> None:
    stand = Stand(placed("a", toxic=Timeout()), mode=STRICT)
    stand.update(placed("a", 0.0, Timeout()))
    assert stand.to_caller.ending is None


@pytest.mark.parametrize("mode", [SANE, STRICT])
async def test_a_black_hole_that_did_nothing_closes_only_strictly(mode: Mode) -> None:
    hole = placed("a", 0.0, Timeout())
    stand = Stand(hole, mode=mode)
    stand.remove(hole)
    assert (stand.to_caller.ending is not None) == mode.strict_compat


def flips(mode: Mode, stream: str = "downstream") -> set[str]:
    """After which changes a toxic for half of the connections started or stopped working on this one."""
    half, other = placed("half", 0.5), placed("other", stream=stream)
    stand = Stand(half, mode=mode)
    seen = set()
    works = "half" in stand.names()
    for _ in range(20):
        changes = {
            "update": lambda: stand.update(half),
            "add": lambda: stand.add(other),
            "remove": lambda: stand.remove(other),
        }
        for what, change in changes.items():
            change()
            if ("half" in stand.names()) != works:
                works = not works
                seen.add(what)
    return seen


async def test_a_connection_keeps_its_lot() -> None:
    assert flips(SANE) == set()


async def test_strictly_it_is_drawn_again_on_update_and_when_the_next_one_comes_or_goes() -> None:
    assert flips(STRICT) == {"update", "add", "remove"}


async def test_strictly_what_happens_on_the_other_way_does_not_matter() -> None:
    assert flips(STRICT, stream="upstream") == {"update"}
