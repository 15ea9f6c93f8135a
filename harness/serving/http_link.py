"""The client side of a hop over HTTP: sends a call on, passes the answer's pieces back, ends in an outcome.

Each link has a connector of its own: in one shared pool the requests that hang on a slow worker take the
connections that healthy workers need (aiohttp's default is 100 for all hosts together). Only POST is sent,
since aiohttp silently repeats idempotent methods when a server drops the connection.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable

import aiohttp
import msgspec

from harness.serving.http_probe import HttpLine
from harness.serving.incoming import finite, header_safe
from harness.serving.link import LOAD, LOAD_TIMEOUT_S
from harness.serving.openai_api import answer_tokens, read_error, read_event, status_outcome
from harness.serving.probe import Probe
from harness.serving.probing import run_probe
from policies.call import DEFAULT_PRIORITY, Attempt, Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pool import Load

CONNECT_S = 5.0  # when no policy sets one; loopback and a data centre both connect in milliseconds
_NO_ROUNDING = 1e9  # aiohttp rounds timers above this many seconds up to whole ones

Deliver = Callable[[Chunk], None]


class HttpLink:
    """A way to the next tier. `to` names it in outcomes."""

    def __init__(self, url: str, to: str) -> None:
        self.url = url
        self.to = to
        self._session: aiohttp.ClientSession | None = None

    async def handle(self, call: Call) -> Outcome:
        """Send a call on."""
        return await self._post(call, call.sink, CONNECT_S, {})

    async def send(self, attempt: Attempt) -> Outcome:
        """Send one attempt to the worker behind this link."""
        clock = asyncio.get_running_loop().time
        connect_s = CONNECT_S if attempt.connect_s is None else attempt.connect_s
        headers = {"X-Attempt": str(attempt.number)}
        return await self._post(
            attempt.call, lambda chunk: attempt.deliver(chunk, clock()), connect_s, headers
        )

    async def probe(self) -> Probe:
        """What a small request over a connection of its own sees."""
        return await run_probe(HttpLine(self.url))

    async def load(self) -> Load | None:
        """Ask the worker for its load."""
        timeout = aiohttp.ClientTimeout(total=LOAD_TIMEOUT_S)
        try:
            async with self._open().get(self.url + LOAD, timeout=timeout) as response:
                return msgspec.json.decode(await response.read(), type=Load)
        except (aiohttp.ClientError, TimeoutError, OSError, msgspec.MsgspecError):
            return None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _post(self, call: Call, deliver: Deliver, connect_s: float, headers: dict[str, str]) -> Outcome:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_s, ceil_threshold=_NO_ROUNDING)
        try:
            async with self._open().post(
                self.url + call.route,
                data=call.payload,
                headers={**_headers(call), **headers},
                timeout=timeout,
            ) as response:
                return await self._receive(response, call, deliver)
        except aiohttp.ConnectionTimeoutError:
            cause = f"no connection to {self.to} within {connect_s:g} s"
            return Outcome(kind=Kind.TIMEOUT, phase="connect", cause=cause, by=self.to)
        except aiohttp.ClientConnectorError as refused:
            cause = f"no connection to {self.to}: {refused.os_error.strerror or refused}"
            return Outcome(kind=Kind.ERROR, phase="connect", cause=cause, by=self.to)
        except (aiohttp.ClientError, ConnectionError) as broken:
            cause = f"the connection to {self.to} broke: {type(broken).__name__}"
            return Outcome(kind=Kind.ERROR, phase="stream", cause=cause, by=self.to)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0)
            self._session = aiohttp.ClientSession(connector=connector, auto_decompress=False)
        return self._session

    async def _receive(self, response: aiohttp.ClientResponse, call: Call, deliver: Deliver) -> Outcome:
        if response.status != 200:
            return self._failed(response, await response.read())
        call.served_by = header_safe(response.headers.get("X-Served-By", call.served_by))
        if response.content_type != "text/event-stream":
            body = await response.read()
            deliver(Chunk(body, tokens=answer_tokens(body)))
            return OK
        return await self._receive_stream(response, deliver)

    async def _receive_stream(self, response: aiohttp.ClientResponse, deliver: Deliver) -> Outcome:
        async for data in _events(response.content):
            if data == b"[DONE]":
                return OK
            tokens, failed = read_event(data, self.to)
            if failed:
                return failed
            deliver(Chunk(data, tokens=tokens))
        cause = f"the answer of {self.to} ended without [DONE]"
        return Outcome(kind=Kind.ERROR, phase="stream", cause=cause, by=self.to)

    def _failed(self, response: aiohttp.ClientResponse, body: bytes) -> Outcome:
        retry_after_s = _retry_after_s(response)
        outcome = read_error(body, response.status, self.to, retry_after_s)
        return outcome or status_outcome(response.status, self.to, retry_after_s)


def _headers(call: Call) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "X-Request-Id": call.id}
    if call.caller:
        headers["X-Caller"] = call.caller
    if call.priority != DEFAULT_PRIORITY:
        headers["X-Priority"] = str(call.priority)
    if call.workers is not None:
        headers["X-Workers"] = ",".join(sorted(call.workers))
    remaining_ms = (call.deadline_s - asyncio.get_running_loop().time()) * 1000
    if math.isfinite(remaining_ms):
        headers["X-Deadline-Ms"] = str(max(0, round(remaining_ms)))
    return headers


def _retry_after_s(response: aiohttp.ClientResponse) -> float | None:
    """Seconds, None also for the calendar form of the header, which nobody here sends."""
    seconds = finite(response.headers.get("Retry-After"))
    return None if seconds is None else max(0.0, seconds)


async def _events(stream: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """The data of server-sent events, comments left out."""
    buffer = b""
    async for piece in stream.iter_any():
        *lines, buffer = (buffer + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
