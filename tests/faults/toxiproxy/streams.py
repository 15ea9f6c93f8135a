"""A link in memory: what goes in is said at a time, what comes out is noted with its time."""

import asyncio
import random
from collections.abc import Sequence
from itertools import pairwise

from faults.toxiproxy.budget import Budget
from faults.toxiproxy.chunk import End
from faults.toxiproxy.link import Link
from faults.toxiproxy.toxics.toxic import Toxic


class Stream:
    """Both ends of one link. `came` has (loop time, bytes) of each write, `ending` what ended it and when."""

    def __init__(self, *toxics: Toxic, seed: int = 0, budget: Budget | None = None) -> None:
        self.came: list[tuple[float, bytes]] = []
        self.ending: tuple[float, End] | None = None
        self.reading = True
        self.link = Link(self, self, self._finished, budget or Budget())
        for index, toxic in enumerate(toxics):
            self.link.insert(index, f"t{index}", toxic, random.Random(seed))

    async def begin(self) -> float:
        """Let the toxics begin; the loop time."""
        await settle()
        return _now()

    def rng(self) -> random.Random:
        return random.Random(0)

    async def say(self, at_s: float, *chunks: bytes) -> None:
        """Feed chunks at loop time `at_s`."""
        await asyncio.sleep(at_s - _now())
        for chunk in chunks:
            self.link.feed(chunk)

    @property
    def data(self) -> bytes:
        return b"".join(data for _, data in self.came)

    @property
    def times(self) -> list[float]:
        return [round(at_s, 6) for at_s, _ in self.came]

    # The transports that the link sees.

    def write(self, data: bytes | memoryview) -> None:
        self.came.append((_now(), bytes(data)))

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def _finished(self, link: Link, how: End) -> None:
        self.ending = (round(_now(), 6), how)


def ways(toxic: Toxic) -> tuple[Stream, Stream]:
    """Both ways of one connection: a question's, and an answer's on which `toxic` works."""
    question, answer = Stream(), Stream(toxic)
    question.link.back, answer.link.back = answer.link, question.link
    return question, answer


async def until(at_s: float) -> None:
    """Let everything happen that happens up to loop time `at_s`."""
    await asyncio.sleep(at_s - _now())
    await settle()


async def settle() -> None:
    """Let everything happen that needs no time."""
    for _ in range(20):
        await asyncio.sleep(0)


def ascending(times: Sequence[float]) -> bool:
    return all(earlier <= later for earlier, later in pairwise(times))


def _now() -> float:
    return asyncio.get_running_loop().time()
