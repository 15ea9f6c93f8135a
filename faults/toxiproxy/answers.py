"""How the control plane answers: headers, error texts and JSON in the original's form."""

import json
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from faults.toxiproxy.errors import Refused

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def manners(request: web.Request, handler: Handler) -> web.StreamResponse:
    """What holds for every route: no browsers, an id on each answer, errors in the original's form."""
    unmatched = request.match_info.http_exception
    if isinstance(unmatched, web.HTTPMethodNotAllowed):
        return web.Response(status=405)
    if unmatched is not None:
        return _text("404 page not found", 404)
    response = await _answer(request, handler)
    response.headers["X-Toxiproxy-Request-Id"] = secrets.token_hex(10)
    return response


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.headers.get("User-Agent", "").startswith("Mozilla/"):
        return _text("User agent not allowed", 403)
    try:
        return await handler(request)
    except Refused as refused:
        return _text(_compact({"error": refused.text, "status": refused.status}), refused.status)


def json_answer(value: Any, status: int = 200) -> web.Response:
    """An answer in JSON."""
    headers = {"Content-Type": "application/json"}  # and no charset, as in the original
    return web.Response(body=_compact(value).encode(), status=status, headers=headers)


def _text(text: str, status: int) -> web.Response:
    """Errors are plain text on this wire even where they hold JSON."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=f"{text}\n".encode(), status=status, headers=headers)


def _compact(value: Any) -> str:
    """JSON without blanks, with the original's escapes for HTML."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
