"""A server in its own process that answers at once: what is left to measure is the client's side."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

import msgspec
from aiohttp import web

from harness.errors import EnvironmentFault
from harness.serving.http_server import listen
from harness.serving.openai_api import COMPLETIONS, Writer
from harness.serving.orphan import die_with_parent
from harness.serving.pool import forkserver_context

TOKENS = 16
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 3.0

_writer = Writer(COMPLETIONS, "null", "null")
_WHOLE = _writer.whole("word " * TOKENS, "length", 32, TOKENS)
_TOKEN = b"data: %b\n\n" % _writer.text("word ")
_LAST_TOKEN = _TOKEN + b"".join(
    b"data: %b\n\n" % event for event in (_writer.finish("length"), _writer.usage(32, TOKENS))
)


@dataclass(frozen=True, slots=True)
class NullServer:
    """Serves POST /v1/completions, whole or as a stream of `TOKENS` tokens, whatever is asked."""

    url: str
    pid: int


@asynccontextmanager
async def null_server(gap_s: float = 0.0) -> AsyncIterator[NullServer]:
    """Run one meanwhile. `gap_s` is between the tokens of a stream; 0 sends them as fast as it can."""
    context = forkserver_context()
    hear, tell = context.Pipe(duplex=False)
    process = context.Process(target=_main, args=(tell, gap_s), name="null server", daemon=True)
    process.start()
    tell.close()
    try:
        port = await asyncio.to_thread(_hear, hear)
        yield NullServer(f"http://127.0.0.1:{port}", process.pid or 0)
    finally:
        process.kill()
        process.join(STOP_TIMEOUT_S)


def _hear(hear: Connection) -> int:
    with hear:
        try:
            if hear.poll(START_TIMEOUT_S):
                return int(hear.recv())
        except EOFError:
            pass  # it ended before it listened: same message as for one that never came up
    raise EnvironmentFault(f"the null server was not up after {START_TIMEOUT_S:g} s. Run `make bench` again")


def _main(tell: Connection, gap_s: float) -> None:
    die_with_parent()
    asyncio.run(_serve(tell, gap_s))


async def _serve(tell: Connection, gap_s: float) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if msgspec.json.decode(await request.read(), type=_Asked).stream:
            return await _stream(request, gap_s)
        return web.Response(body=_WHOLE, content_type="application/json")

    app = web.Application()
    app.router.add_post(COMPLETIONS, answer)
    server = await listen(app)
    tell.send(server.port)
    await asyncio.Event().wait()


class _Asked(msgspec.Struct, frozen=True):
    stream: bool = False


async def _stream(request: web.Request, gap_s: float) -> web.StreamResponse:
    """The writes of a worker: one a token, the last with what ends the answer, then the closing mark."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number in range(1, TOKENS + 1):
        await response.write(_TOKEN if number < TOKENS else _LAST_TOKEN)
        if gap_s:
            await asyncio.sleep(gap_s)
    await response.write_eof(b"data: [DONE]\n\n")
    return response
