"""The HTTP hop, both sides of it, over real sockets: whatever one tier says, the next one understands."""

import asyncio
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from harness.errors import EnvironmentFault
from harness.serving.http_link import HttpLink
from harness.serving.http_server import application, listen
from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Kind, Outcome
from tests.real.hops import Open, hops

pytestmark = pytest.mark.real


@pytest.fixture
async def hop() -> AsyncIterator[Open]:
    async with hops() as open_hop:
        yield open_hop


PIECE = Chunk(json.dumps({"choices": [{"text": "x"}]}).encode())


def completion(stream: bool = True, **fields: object) -> Call:
    body = json.dumps({"prompt": "hi", "stream": stream}).encode()
    return Call(id="r1", route="/v1/completions", payload=body, stream=stream, **fields)


async def test_pieces_arrive_as_they_are_said_not_at_the_end(hop: Open) -> None:
    said = asyncio.Event()

    async def handler(call: Call) -> Outcome:
        call.sink(PIECE)
        await asyncio.wait_for(said.wait(), 10)
        call.sink(PIECE)
        return OK

    link = await hop(handler)
    heard: list[Chunk] = []

    def hear(chunk: Chunk) -> None:
        heard.append(chunk)
        said.set()

    assert (await link.handle(completion(sink=hear))).kind is Kind.OK
    assert heard == [PIECE, PIECE]


async def test_a_piece_without_content_counts_no_token(hop: Open) -> None:
    role = json.dumps({"choices": [{"delta": {"role": "assistant", "content": ""}}]}).encode()

    async def handler(call: Call) -> Outcome:
        call.sink(Chunk(role, tokens=0))
        call.sink(PIECE)
        return OK

    link = await hop(handler)
    call = completion()
    attempt = Attempt(call=call, worker="worker-0", number=1, started_s=0.0)
    assert (await link.send(attempt)).answered
    assert attempt.tokens == 1


@pytest.mark.parametrize(
    "said",
    [
        Outcome(kind=Kind.REJECTED, phase="admission", cause="line is full", by="gateway", status=503),
        Outcome(kind=Kind.TIMEOUT, phase="first_token", cause="too slow", by="timers", status=504),
        Outcome(
            kind=Kind.OVERLOAD, phase="queue", cause="full", by="worker-2", status=503, retry_after_s=2.0
        ),
        Outcome(kind=Kind.ERROR, phase="", cause="no such model", by="worker-2", status=404),
        Outcome(kind=Kind.ERROR, phase="prompt", cause="empty", by="worker-2", status=400),
    ],
    ids=lambda outcome: f"{outcome.kind}-{outcome.status}",
)
@pytest.mark.parametrize("after", [0, 2])
async def test_an_outcome_crosses_two_hops_unchanged(hop: Open, said: Outcome, after: int) -> None:
    async def handler(call: Call) -> Outcome:
        for _ in range(after):
            call.sink(PIECE)
        return said

    inner = await hop(handler)
    outer = await hop(inner.handle)
    heard = await outer.handle(completion())
    assert (heard.kind, heard.phase, heard.cause, heard.by) == (said.kind, said.phase, said.cause, said.by)
    if not after:
        assert (heard.status, heard.retry_after_s) == (said.status, said.retry_after_s)


async def test_a_failure_in_mid_stream_does_not_break_the_requests_after_it(hop: Open) -> None:
    """The next request may be on the same connection already: closing it would make one failure two."""

    async def handler(call: Call) -> Outcome:
        call.sink(PIECE)
        return Outcome(kind=Kind.TIMEOUT, phase="attempt", cause="too slow") if call.caller else OK

    link = await hop(handler)
    for _ in range(20):
        assert (await link.handle(completion(caller="unlucky"))).kind is Kind.TIMEOUT
        assert (await link.handle(completion())).kind is Kind.OK


async def test_caller_deadline_pinning_and_id_cross_the_hop(hop: Open) -> None:
    seen: list[Call] = []

    async def handler(call: Call) -> Outcome:
        seen.append(call)
        return OK

    link = await hop(handler)
    now = asyncio.get_running_loop().time()
    await link.handle(completion(caller="chat", workers=frozenset({"w1", "w2"}), deadline_s=now + 5))
    (call,) = seen
    assert (call.id, call.caller, call.workers) == ("r1", "chat", frozenset({"w1", "w2"}))
    assert 4 < call.deadline_s - now <= 5.1


async def test_a_caller_that_leaves_cancels_the_work_through_every_hop(hop: Open) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def handler(call: Call) -> Outcome:
        call.sink(PIECE)
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return OK

    inner = await hop(handler)
    outer = await hop(inner.handle)
    task = asyncio.create_task(outer.handle(completion()))
    await asyncio.wait_for(started.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 10)


async def test_a_refused_connection_is_an_error_in_connecting() -> None:
    server = await listen(application(lambda call: asyncio.sleep(0, OK)))
    await server.close()
    link = HttpLink(server.url, "worker-0")
    outcome = await link.handle(completion())
    await link.close()
    assert (outcome.kind, outcome.phase, outcome.by) == (Kind.ERROR, "connect", "worker-0")


@pytest.mark.parametrize(
    ("answer", "kind", "phase"),
    [
        (b"", Kind.ERROR, "stream"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n", Kind.ERROR, "stream"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", Kind.ERROR, "stream"),
        (b"not http at all\r\n\r\n", Kind.ERROR, "stream"),
        (b"HTTP/1.1 429 X\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n", Kind.OVERLOAD, ""),
        (b"HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\nno", Kind.ERROR, ""),
    ],
    ids=["closed", "no-done", "cut", "garbage", "429", "500"],
)
async def test_whatever_a_broken_worker_sends_is_an_outcome_not_an_exception(
    answer: bytes, kind: Kind, phase: str
) -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(broken, "127.0.0.1", 0)
    link = HttpLink(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "worker-0")
    outcome = await link.handle(completion())
    await link.close()
    server.close()
    assert (outcome.kind, outcome.phase) == (kind, phase)


async def test_a_dropped_connection_is_not_silently_sent_twice() -> None:
    hits = 0

    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal hits
        await reader.readuntil(b"\r\n\r\n")
        hits += 1
        writer.close()

    server = await asyncio.start_server(drop, "127.0.0.1", 0)
    link = HttpLink(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "worker-0")
    await link.handle(completion())
    await link.close()
    server.close()
    assert hits == 1


async def test_requests_that_hang_on_one_worker_leave_the_way_to_another_free(hop: Open) -> None:
    """aiohttp's shared pool of 100 would let 100 hanging requests starve every other host."""
    free = asyncio.Event()

    async def hangs(call: Call) -> Outcome:
        await free.wait()
        return OK

    async def answers(call: Call) -> Outcome:
        return OK

    slow, fast = await hop(hangs), await hop(answers)
    hanging = [asyncio.create_task(slow.handle(completion())) for _ in range(150)]
    await asyncio.sleep(0.2)
    assert (await asyncio.wait_for(fast.handle(completion()), 5)).answered
    assert not any(task.done() for task in hanging)
    free.set()
    assert all(outcome.answered for outcome in await asyncio.gather(*hanging))


async def test_a_taken_port_is_said_in_one_line_with_a_remedy() -> None:
    first = await listen(application(lambda call: asyncio.sleep(0, OK)))
    with pytest.raises(
        EnvironmentFault, match=rf"cannot listen on 127.0.0.1:{first.port}: .*Take another port"
    ):
        await listen(application(lambda call: asyncio.sleep(0, OK)), first.port)
    await first.close()


async def test_health_answers_while_the_handler_is_busy(hop: Open) -> None:
    async def hangs(call: Call) -> Outcome:
        await asyncio.sleep(60)
        return OK

    link = await hop(hangs)
    task = asyncio.create_task(link.handle(completion()))
    async with aiohttp.ClientSession() as session, session.get(link.url + "/health") as response:
        assert response.status == 200
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("header", ["nan", "inf", "-inf", "tomorrow"])
async def test_a_retry_after_that_is_no_finite_number_is_ignored_on_every_hop(header: str) -> None:
    async def full(request: web.Request) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": header})

    app = web.Application()
    app.router.add_post("/v1/completions", full)
    server = await listen(app)
    link = HttpLink(server.url, "worker-0")
    middle = await listen(application(link.handle))
    outer = HttpLink(middle.url, "gateway")
    heard = await outer.handle(completion())
    for each in (outer, middle, link, server):
        await each.close()
    assert (heard.kind, heard.status, heard.retry_after_s) == (Kind.OVERLOAD, 503, None)
