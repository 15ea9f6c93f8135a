"""Any handler of calls as an aiohttp application: the same server side for service, gateway and worker.

A handler gives pieces of the answer to the call's sink and ends with an outcome. Before the first piece a
failure becomes a status and an error body; after it, an error event without the closing `[DONE]`.
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web
from aiohttp.http import HttpProcessingError

from harness.errors import EnvironmentFault
from harness.serving.incoming import read_call
from harness.serving.openai_api import ROUTES, error_body, error_status
from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from policies.policy import Next

MAX_BODY_BYTES = 16 * 2**20

_log = logging.getLogger("limplock.http")  # for whoever sets up logging; what clients send is not shown
_log.addHandler(logging.NullHandler())


def add_handler(app: web.Application, handler: Next, *routes: str) -> None:
    """Serve `handler` at POST on `routes`."""

    async def serve(request: web.Request) -> web.StreamResponse:
        payload = await request.read()
        now = asyncio.get_running_loop().time()
        call = read_call(request.path, request.headers, payload, now)
        return await _Answer(request, call).serve(handler)

    for route in routes:
        app.router.add_post(route, serve)


def application(
    handler: Next, *extra_routes: str, health: Callable[[], Awaitable[None]] | None = None
) -> web.Application:
    """An OpenAI-style API in front of `handler`, with `/health`, which is well once `health` returns."""

    async def healthy(request: web.Request) -> web.Response:
        if health is not None:
            await health()
        return web.json_response({"status": "ok"})

    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_errors_as_json])
    add_handler(app, handler, *ROUTES, *extra_routes)
    app.router.add_get("/health", healthy)
    return app


def error_response(message: str, status: int, headers: Mapping[str, str] | None = None) -> web.Response:
    """A refusal in the shape of every other error body."""
    outcome = Outcome(kind=Kind.ERROR, cause=message, status=status)
    return web.Response(
        body=error_body(outcome), status=status, content_type="application/json", headers=headers
    )


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """No client is shown another error page than ours."""
    try:
        return await handler(request)
    except web.HTTPException as refused:  # no such route, wrong method, too large a body
        allow = {"Allow": refused.headers["Allow"]} if "Allow" in refused.headers else {}
        return error_response(f"{request.method} {request.path}: {refused.reason}", refused.status, allow)
    except (web.RequestPayloadError, HttpProcessingError) as unreadable:
        return error_response(f"the request's body cannot be read: {_line(unreadable)}", 400)
    except ConnectionError:
        raise  # the client has left
    except Exception as broken:  # a bug of ours, whichever; the client still gets an answer that it can read
        _log.exception("%s %s", request.method, request.path)
        return error_response(f"internal error: {_line(broken)}", 500)


def _line(failed: Exception) -> str:
    return " ".join(f"{type(failed).__name__}: {failed}".split())


class _Answer:
    """One response under way. The handler runs beside it, so that its sink never waits for the socket."""

    def __init__(self, request: web.Request, call: Call) -> None:
        self._request = request
        self._call = call
        self._pieces: deque[Chunk] = deque()
        self._news = asyncio.Event()
        call.sink = self._take

    async def serve(self, handler: Next) -> web.StreamResponse:
        handling = asyncio.ensure_future(_outcome(handler, self._call))
        handling.add_done_callback(lambda _: self._news.set())
        try:
            await self._news.wait()
            if self._call.stream and self._pieces:
                return await self._stream(handling)
            return self._whole(await handling)
        finally:
            await _end(handling)

    def _take(self, chunk: Chunk) -> None:
        self._pieces.append(chunk)
        self._news.set()

    async def _stream(self, handling: asyncio.Future[Outcome]) -> web.StreamResponse:
        response = web.StreamResponse(headers={**self._headers(), "Cache-Control": "no-cache"})
        response.content_type = "text/event-stream"
        try:
            await response.prepare(self._request)
            await self._write(response, handling)
        except ConnectionResetError:
            pass  # the client has left; `serve` ends the handler
        return response

    async def _write(self, response: web.StreamResponse, handling: asyncio.Future[Outcome]) -> None:
        """Every piece as it comes, then how it ended."""
        while not handling.done() or self._pieces:
            await self._news.wait()
            self._news.clear()
            if self._pieces:
                await response.write(b"".join(b"data: %b\n\n" % piece.data for piece in self._pieces))
                self._pieces.clear()
            if handling.done():
                self._news.set()
        outcome = handling.result()
        last = b"[DONE]" if outcome.answered else error_body(outcome)
        # In one piece: a client that reads no further than the mark has the end of the body too, and can use
        # its connection again. It stays open: the next request may be on it already.
        await response.write_eof(b"data: %b\n\n" % last)

    def _whole(self, outcome: Outcome) -> web.Response:
        headers = self._headers()
        if outcome.answered:
            body = b"".join(piece.data for piece in self._pieces)
            return web.Response(body=body, content_type="application/json", headers=headers)
        if outcome.retry_after_s is not None and math.isfinite(outcome.retry_after_s):
            headers["Retry-After"] = str(math.ceil(outcome.retry_after_s))
        status = error_status(outcome)
        return web.Response(
            body=error_body(outcome), status=status, content_type="application/json", headers=headers
        )

    def _headers(self) -> dict[str, str]:
        headers = {"X-Request-Id": self._call.id}
        if self._call.served_by:
            headers["X-Served-By"] = self._call.served_by
        return headers


async def _outcome(handler: Next, call: Call) -> Outcome:
    try:
        return await handler(call)
    except (
        Exception
    ) as broken:  # a bug of ours, whichever; an answer under way still has to be ended in words
        _log.exception("call %s", call.id)
        return Outcome(kind=Kind.ERROR, cause=f"internal error: {_line(broken)}", status=500)


async def _end(handling: asyncio.Future[Outcome]) -> None:
    """Leave no handler behind when the client has left."""
    if not handling.done():
        handling.cancel()
        await asyncio.wait([handling])
    if not handling.cancelled():
        handling.exception()  # mark as seen; the response was ended by what came first


class RunningServer:
    """An application that listens on loopback until `close`."""

    def __init__(self, runner: web.AppRunner, port: int) -> None:
        self._runner = runner
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        await self._runner.cleanup()


async def listen(app: web.Application, port: int = 0) -> RunningServer:
    """Serve on 127.0.0.1. Port 0 takes a free one. A handler is cancelled when its client leaves.

    EnvironmentFault if the port is taken.
    """
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, logger=_log, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    try:
        await site.start()
    except OSError as taken:
        await runner.cleanup()
        raise EnvironmentFault(
            f"cannot listen on 127.0.0.1:{port}: {taken.strerror or taken}. Take another port, or 0"
        ) from taken
    return RunningServer(runner, runner.addresses[0][1])
