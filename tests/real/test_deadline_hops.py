"""A deadline over real hops: each tier is told what is left, and the last one keeps a reserve."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from harness.serving.http_link import HttpLink
from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.policy import Next
from policies.timers.deadline import Deadline
from tests.real.hops import Open, hops

pytestmark = pytest.mark.real


@pytest.fixture
async def hop() -> AsyncIterator[Open]:
    async with hops() as open_hop:
        yield open_hop


HOP_S = 0.1  # that each tier takes before it sends the call on


async def chain(hop: Open, last: Next, left_s: list[float]) -> HttpLink:
    """Two tiers before `last`, each of which notes what is left when a call arrives."""

    def tier(onward: HttpLink) -> Next:
        async def handle(call: Call) -> Outcome:
            left_s.append(call.deadline_s - asyncio.get_running_loop().time())
            await asyncio.sleep(HOP_S)
            return await onward.handle(call)

        return handle

    return await hop(tier(await hop(tier(await hop(last)))))


def completion(left_s: float) -> Call:
    deadline_s = asyncio.get_running_loop().time() + left_s
    return Call(id="c", route="/v1/completions", payload=b'{"prompt": "hi"}', deadline_s=deadline_s)


async def test_what_is_left_shrinks_by_what_each_hop_takes(hop: Open) -> None:
    left_s: list[float] = []

    async def answer(call: Call) -> Outcome:
        left_s.append(call.deadline_s - asyncio.get_running_loop().time())
        call.sink(Chunk(b"{}"))
        return OK

    first = await chain(hop, answer, left_s)
    assert (await first.handle(completion(60.0))).kind is Kind.OK
    assert 60.0 >= left_s[0] > left_s[1] > left_s[2] > 0
    assert left_s[0] - left_s[1] >= HOP_S - 0.002  # the header has whole milliseconds
    assert left_s[1] - left_s[2] >= HOP_S - 0.002


async def test_the_last_hop_refuses_unsent_what_the_hops_before_have_used_up(hop: Open) -> None:
    reached: list[Call] = []

    async def work(call: Call) -> Outcome:
        reached.append(call)
        return OK

    async def guarded(call: Call) -> Outcome:
        return await Deadline(reserve_s=30.0).run(call, work)

    first = await chain(hop, guarded, [])
    outcome = await first.handle(completion(30.0 + HOP_S))
    assert (outcome.kind, outcome.phase, outcome.status) == (Kind.TIMEOUT, "total", 504)
    assert reached == []
    await first.handle(completion(600.0))
    assert len(reached) == 1
