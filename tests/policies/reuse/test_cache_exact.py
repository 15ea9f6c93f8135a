"""The same request again: no attempt, the same pieces, and never anything but a whole answer."""

import asyncio
import json
from dataclasses import replace

import pytest

from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.reuse.cache_exact import CacheExact

PIECES = [Chunk(b"role", tokens=0), Chunk(b"one"), Chunk(b"two"), Chunk(b"usage", tokens=0)]


class Pool:
    """A cache in front of a worker that says `PIECES` and ends as told."""

    def __init__(self, cache=None, outcome=OK):
        self.cache = cache or CacheExact()
        self.outcome = outcome
        self.sent = 0
        self.bound = Pipeline(layers=(self.cache,)).over(["w0"], self.answer)

    async def answer(self, attempt):
        self.sent += 1
        attempt.call.served_by = attempt.worker
        for piece in PIECES:
            await asyncio.sleep(0.1)
            attempt.deliver(piece, asyncio.get_running_loop().time())
        return self.outcome

    async def ask(self, payload=b"chat 3", **fields):
        heard = []
        call = Call(id="c", payload=payload, sink=heard.append, **fields)
        return await self.bound.run(call), heard, call


async def test_the_same_request_again_is_answered_at_once_without_an_attempt():
    pool = Pool()
    first, heard_first, _ = await pool.ask()
    before_s = asyncio.get_running_loop().time()
    again, heard_again, call = await pool.ask()
    assert first is OK
    assert again == replace(OK, by="cache_exact")
    assert heard_again == heard_first == PIECES
    assert (pool.sent, call.attempts, call.served_by, call.committed) == (1, 0, "", True)
    assert asyncio.get_running_loop().time() == before_s
    assert (pool.cache.hits, pool.cache.misses) == (1, 1)


async def test_another_request_is_sent():
    pool = Pool()
    await pool.ask(b"chat 3")
    await pool.ask(b"chat 4")
    assert (pool.sent, pool.cache.hits, pool.cache.misses) == (2, 0, 2)


async def test_an_answer_in_pieces_is_never_given_to_who_asked_for_one_body():
    pool = Pool()
    payload = json.dumps({"prompt": "hi", "temperature": 0}).encode()
    await pool.ask(payload, stream=True)
    await pool.ask(payload, stream=False)
    assert pool.sent == 2
    await pool.ask(payload, stream=False)
    assert (pool.sent, pool.cache.hits) == (2, 1)


@pytest.mark.parametrize("payload", [b"", b'{"prompt": "hi", "temperature": 0.7}'])
async def test_what_is_not_deterministic_is_neither_kept_nor_counted(payload):
    pool = Pool()
    for _ in range(3):
        await pool.ask(payload)
    assert (pool.sent, pool.cache.hits, pool.cache.misses) == (3, 0, 0)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.OK])
async def test_an_answer_that_did_not_end_well_is_never_kept(kind):
    pool = Pool(outcome=Outcome(kind=kind))
    await pool.ask()
    await pool.ask()
    assert (pool.sent, pool.cache.hits) == (2, 0)


@pytest.mark.parametrize("phase", ["fallback", "brownout"])
async def test_a_stand_in_and_a_shortened_answer_are_never_kept(phase):
    pool = Pool(outcome=Outcome(kind=Kind.OK, phase=phase))
    await pool.ask()
    await pool.ask()
    assert pool.sent == 2


async def test_a_caller_who_left_leaves_no_partial_answer_behind():
    pool = Pool()
    task = asyncio.create_task(pool.ask())
    await asyncio.sleep(0.25)
    task.cancel()
    await asyncio.wait([task])
    outcome, heard, _ = await pool.ask()
    assert (outcome, heard, pool.sent) == (OK, PIECES, 2)


async def test_an_answer_is_repeated_until_it_is_too_old():
    pool = Pool(CacheExact(ttl_s=5))
    await pool.ask()
    await asyncio.sleep(4.9)
    await pool.ask()
    assert pool.sent == 1
    await asyncio.sleep(0.2)
    await pool.ask()
    assert pool.sent == 2, "a hit does not make an answer younger"


async def test_no_more_answers_are_kept_than_there_is_room_for():
    pool = Pool(CacheExact(size=2))
    for payload in (b"a", b"b", b"a", b"c", b"a", b"b"):
        await pool.ask(payload)
    assert (pool.sent, pool.cache.hits) == (4, 2)


async def test_the_callers_sink_is_its_own_again_afterwards():
    pool = Pool()
    _, heard, call = await pool.ask()
    call.sink(Chunk(b"late"))
    assert heard == [*PIECES, Chunk(b"late")]
    assert (await pool.ask())[1] == PIECES
