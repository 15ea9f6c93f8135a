"""One HTTP call to a Toxiproxy server through toxiproxy-python, bounded in time, with every status looked at.

toxiproxy-python blocks, waits without limit, takes its server from class attributes (one server for a whole
process) and takes all statuses but 400, 404 and 409 for success. So each call runs in a daemon thread with
a time limit, and each server gets an `APIConsumer` class of its own.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import requests
from toxiproxy.api import APIConsumer  # type: ignore[import-untyped]  # the package has no types
from toxiproxy.exceptions import InvalidToxic, NotFound, ProxyExists  # type: ignore[import-untyped]  # same

from faults.toxiproxy.daemon_call import in_daemon_thread
from faults.toxiproxy.errors import ToxiproxyError

_STATUS_OF = {InvalidToxic: 400, NotFound: 404, ProxyExists: 409}
_REMEDY_OF = {
    404: "See what the server lists",
    409: "Use another name, or delete the one that is there",
    500: "Use another listen address; port 0 takes a free one",
}
_PLAIN = {"proxies": {"http": ""}, "allow_redirects": False}  # no proxy of the environment's, no other server


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said, in whatever way."""

    status: int
    text: str


class Control:
    """The server at `url`. Calls raise ToxiproxyError with one line; `doing` says what the call was for."""

    def __init__(self, url: str, call_limit_s: float) -> None:
        where = urlsplit(url)
        if where.scheme != "http" or not where.hostname or where.port is None:
            raise ValueError(f"Toxiproxy URL '{url}': expected http://host:port")
        host = f"[{where.hostname}]" if ":" in where.hostname else where.hostname
        self.url = f"http://{host}:{where.port}"
        self._consumer: Any = type("Consumer", (APIConsumer,), {"host": host, "port": where.port})
        self._limit_s = call_limit_s
        self._under_way: set[asyncio.Future[Answer]] = set()

    async def get(self, path: str, doing: str) -> Any:
        """The JSON value at `path`."""
        return self._value(await self._call(partial(self._consumer.get, path), doing), doing)

    async def post(self, path: str, value: Any, doing: str) -> Any:
        """The JSON value that the server gives back for `value`."""
        return self._value(await self._call(partial(self._consumer.post, path, json=value), doing), doing)

    async def put(self, path: str, value: Any, doing: str) -> Any:
        """The same for a call that toxiproxy-python does not know, since the original has none like it."""
        send = partial(requests.put, self.url + path, json=value)
        return self._value(await self._call(send, doing), doing)

    async def has(self, path: str, doing: str) -> bool:
        """Whether there is something at `path`."""
        return self._found(await self._call(partial(self._consumer.get, path), doing), doing)

    async def delete(self, path: str, doing: str) -> bool:
        """False if there was nothing at `path`."""
        return self._found(await self._call(partial(self._consumer.delete, path), doing), doing)

    async def settled(self) -> None:
        """Wait until no call is under way, at most one limit. Calls whose callers gave up may still act."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=self._limit_s)

    def strange(self, what: str, doing: str) -> ToxiproxyError:
        """The error for a server that speaks, but not as a Toxiproxy."""
        said = " ".join(what.split())[:80]
        return ToxiproxyError(
            f"what answers at {self.url} is no Toxiproxy: asked to {doing}, it said '{said}'. "
            "Give the URL of its control port, 8474 by default"
        )

    # Below here: helpers.

    async def _call(self, send: Callable[..., requests.Response], doing: str) -> Answer:
        call = in_daemon_thread(partial(_ask, send, self._limit_s))
        self._under_way.add(call)
        call.add_done_callback(self._under_way.discard)
        try:
            async with asyncio.timeout(self._limit_s):
                return await asyncio.shield(call)
        except (TimeoutError, requests.Timeout):
            raise ToxiproxyError(
                f"Toxiproxy at {self.url} did not answer within {self._limit_s:g} s when asked to {doing}. "
                "It hangs: restart it"
            ) from None
        except requests.RequestException as error:
            raise ToxiproxyError(
                f"cannot reach Toxiproxy at {self.url} to {doing}: {_cause(error)}. Check that it runs there"
            ) from None

    def _value(self, answer: Answer, doing: str) -> Any:
        self._accepted(answer, doing)
        try:
            return json.loads(answer.text)
        except ValueError:
            raise self.strange(answer.text, doing) from None

    def _found(self, answer: Answer, doing: str) -> bool:
        if answer.status == 404:
            return False
        self._accepted(answer, doing)
        return True

    def _accepted(self, answer: Answer, doing: str) -> None:
        """ToxiproxyError if the server turned the call down."""
        if answer.status < 300:
            return
        try:
            why = json.loads(answer.text)["error"]
        except (ValueError, TypeError, KeyError):
            raise self.strange(f"{answer.status} {answer.text}", doing) from None
        remedy = _REMEDY_OF.get(answer.status, "Check the values")
        raise ToxiproxyError(f"Toxiproxy at {self.url} refused to {doing} ({answer.status}: {why}). {remedy}")


def _ask(send: Callable[..., requests.Response], limit_s: float) -> Answer:
    """Blocking. The limit holds for each wait of the socket, so that even an abandoned call ends some day."""
    try:
        response = send(timeout=limit_s, **_PLAIN)
    except (InvalidToxic, NotFound, ProxyExists) as refused:
        return Answer(_STATUS_OF[type(refused)], refused.args[0].decode(errors="replace"))
    return Answer(response.status_code, response.content.decode(errors="replace"))


def _cause(error: BaseException) -> str:
    """The operating system's words for what went wrong, from the innermost of a chain of exceptions."""
    words = type(error).__name__
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError) and link.strerror:
            words = link.strerror.lower()
        link = link.__cause__ or link.__context__
    return words
