"""Streams that hang on one worker take no connection from another: each link has a pool of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from statistics import median

import aiohttp
import pytest

from harness.serving.http_link import HttpLink
from harness.serving.http_server import RunningServer, application, listen
from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Kind, Outcome

pytestmark = pytest.mark.real

STUCK = 100  # as many as aiohttp's shared pool has connections in all
ASKED = 30
GIVE_UP_S = 0.5
PIECE = b'{"choices": [{"text": "x"}]}'


class Workers:
    """Worker 0 says nothing until it is let go; worker 1 answers at once."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.stuck = 0

    async def slow(self, call: Call) -> Outcome:
        self.stuck += 1
        await self.let_go.wait()
        return await self.healthy(call)

    async def healthy(self, call: Call) -> Outcome:
        call.sink(Chunk(PIECE))
        return OK

    async def wait_until_stuck(self, number: int) -> None:
        while self.stuck < number:
            await asyncio.sleep(0.01)


@pytest.fixture
async def servers() -> AsyncIterator[tuple[Workers, RunningServer, RunningServer]]:
    workers = Workers()
    slow, healthy = await listen(application(workers.slow)), await listen(application(workers.healthy))
    yield workers, slow, healthy
    workers.let_go.set()
    await slow.close()
    await healthy.close()


def attempt(worker: str) -> Attempt:
    call = Call(id="c", route="/v1/completions", payload=b'{"prompt": "hi", "stream": true}')
    return Attempt(call=call, worker=worker, number=1, started_s=asyncio.get_running_loop().time())


async def first_token_s(url: str) -> float:
    """What first tokens take over a new link, which has no connection yet: the median of a few, in turn."""
    link, taken_s = HttpLink(url, "worker-1"), []
    try:
        async with asyncio.timeout(GIVE_UP_S * 20):
            for _ in range(ASKED):
                each = attempt("worker-1")
                assert (await link.send(each)).kind is Kind.OK
                assert each.first_token_s is not None
                taken_s.append(each.first_token_s - each.started_s)
    finally:
        await link.close()
    return median(taken_s)


# report 32: aiohttp
async def test_a_hundred_streams_stuck_on_one_worker_leave_the_first_tokens_of_the_other_as_they_were(
    servers: tuple[Workers, RunningServer, RunningServer],
) -> None:
    workers, slow, healthy = servers
    before_s = await first_token_s(healthy.url)
    to_slow = HttpLink(slow.url, "worker-0")
    hanging = [asyncio.create_task(to_slow.send(attempt("worker-0"))) for _ in range(STUCK)]
    await workers.wait_until_stuck(STUCK)
    try:
        meanwhile_s = await first_token_s(healthy.url)
    finally:
        workers.let_go.set()
        endings = await asyncio.gather(*hanging)
        await to_slow.close()
    assert [outcome.kind for outcome in endings] == [Kind.OK] * STUCK
    # Without a connection of their own they would wait until the others are let go; noise is far below this.
    assert meanwhile_s < 10 * before_s


# report 32: aiohttp
async def test_in_one_shared_pool_of_the_usual_size_the_other_worker_cannot_be_reached(
    servers: tuple[Workers, RunningServer, RunningServer],
) -> None:
    workers, slow, healthy = servers

    async def ask(session: aiohttp.ClientSession, url: str) -> float:
        began = time.perf_counter()
        async with session.post(url + "/v1/completions", data=b'{"prompt": "hi"}') as response:
            await response.read()
        return time.perf_counter() - began

    async with aiohttp.ClientSession() as alone:
        before_s = median([await ask(alone, healthy.url) for _ in range(ASKED)])
    async with aiohttp.ClientSession() as shared:
        hanging = [asyncio.create_task(ask(shared, slow.url)) for _ in range(STUCK)]
        await workers.wait_until_stuck(STUCK)
        try:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(max(GIVE_UP_S, 20 * before_s)):
                    await ask(shared, healthy.url)
        finally:
            workers.let_go.set()
            await asyncio.gather(*hanging)
