"""The worker's side of a probe over HTTP."""

import asyncio

from aiohttp import web

from harness.serving.probe import BODY_BYTES, PIECES


async def answer_probe(request: web.Request) -> web.StreamResponse:
    """The pieces of a probe's answer as their time comes, straight from the event loop."""
    response = web.StreamResponse()
    response.content_length = BODY_BYTES
    response.content_type = "application/octet-stream"
    await response.prepare(request)
    for after_s, size in PIECES:
        await asyncio.sleep(after_s)
        await response.write(bytes(size))
    await response.write_eof()
    return response
