"""How the control plane answers: headers, error texts and JSON in the original's form."""

import asyncio
import json
import posixpath
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from faults.toxiproxy.errors import Refused

CALL_LIMIT_S = 25.0  # as in the original

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def manners(request: web.Request, handler: Handler) -> web.StreamResponse:
    """What holds for every route: no browsers, an id on each answer, errors in the original's form."""
    path, question_mark, query = request.raw_path.partition("?")
    if path.startswith("/") and _clean(path) != path:
        return web.Response(status=301, headers={"Location": _clean(path) + question_mark + query})
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
        async with asyncio.timeout(CALL_LIMIT_S):
            return await handler(request)
    except Refused as refused:
        return _error(refused.status, refused.text)
    except web.HTTPRequestEntityTooLarge as large:
        return _error(413, large.text or "request body too large")
    except ConnectionError:  # the client left before its body came: nobody reads this
        return _error(400, "bad request body: unexpected EOF")
    except TimeoutError:  # the body has not come
        return web.Response(
            text=f"<h1>no answer within {CALL_LIMIT_S:g} s</h1>", status=503, content_type="text/html"
        )


def json_answer(value: Any, status: int = 200) -> web.Response:
    """An answer in JSON."""
    headers = {"Content-Type": "application/json"}  # and no charset, as in the original
    return web.Response(body=_compact(value).encode(), status=status, headers=headers)


def _error(status: int, text: str) -> web.Response:
    return _text(_compact({"error": text, "status": status}), status)


def _clean(path: str) -> str:
    """The path without empty, `.` and `..` parts; a slash at its end stays."""
    clean = posixpath.normpath("/" + path.lstrip("/"))
    return clean + "/" if path.endswith("/") and clean != "/" else clean


def _text(text: str, status: int) -> web.Response:
    """Errors are plain text on this wire even where they hold JSON."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=f"{text}\n".encode(), status=status, headers=headers)


def _compact(value: Any) -> str:
    """JSON without blanks, with the original's escapes for HTML."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
