"""Toxiproxy for asyncio, in our words: `worker` for what it calls upstream, `to_worker` and `to_caller`.

Only proxies and toxics that are named are touched. The global reset is never called: others may use the
same server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from faults.toxiproxy.control import Control
from faults.toxiproxy.direction import Direction

CALL_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy as the server shows it."""

    name: str
    listen: str  # host:port that callers connect to
    worker: str  # host:port that it forwards to
    enabled: bool


class ToxiproxyClient:
    """Drives the server at `url` (http://host:port; ValueError for another text).

    Every method takes `call_limit_s` at most and raises ToxiproxyError, whose text is one line for the user.
    """

    def __init__(self, url: str, *, call_limit_s: float = CALL_LIMIT_S) -> None:
        self._control = Control(url, call_limit_s)
        self.url = self._control.url

    async def version(self) -> str:
        """The server's version. Also the proof that it is a Toxiproxy."""
        doing = "tell its version"
        said = await self._control.get("/version", doing)
        if not isinstance(said, dict) or not isinstance(said.get("version"), str):
            raise self._control.strange(str(said), doing)
        return str(said["version"])

    async def list(self) -> dict[str, Proxy]:
        """All proxies of the server by name, whoever made them."""
        shown = await self._control.get("/proxies", "list its proxies")
        return {name: self._proxy(each) for name, each in shown.items()}

    async def create(self, name: str, listen: str, worker: str) -> Proxy:
        """A proxy from `listen` to `worker`, host:port each. Port 0 takes a free one; the answer has it."""
        wanted = {"name": name, "listen": listen, "upstream": worker, "enabled": True}
        return self._proxy(await self._control.post("/proxies", wanted, f"create proxy '{name}' on {listen}"))

    async def delete(self, name: str) -> bool:
        """Take a proxy and its connections away. False if there was none of that name."""
        return await self._control.delete(_path(name), f"delete proxy '{name}'")

    async def toxics(self, proxy: str) -> tuple[str, ...]:
        """The names of all toxics on a proxy."""
        shown = await self._control.get(_path(proxy, "toxics"), f"list the toxics of proxy '{proxy}'")
        return tuple(each["name"] for each in shown)

    async def add_toxic(
        self,
        proxy: str,
        name: str,
        kind: str,
        direction: Direction | str,
        attributes: Mapping[str, int],
        toxicity: float = 1.0,
    ) -> None:
        """Put a toxic of `kind` on a proxy, for the bytes of one direction, on a share of its connections.

        `attributes` are in Toxiproxy's own units. Raises ValueError for an unknown direction.
        """
        wanted = {
            "name": name,
            "type": kind,
            "stream": Direction(direction).stream,
            "attributes": dict(attributes),
            "toxicity": toxicity,
        }
        doing = f"add toxic '{name}' to proxy '{proxy}'"
        await self._control.post(_path(proxy, "toxics"), wanted, doing)

    async def remove_toxic(self, proxy: str, toxic: str) -> bool:
        """Take a toxic off a proxy. False if there was none of that name."""
        doing = f"remove toxic '{toxic}' from proxy '{proxy}'"
        return await self._control.delete(_path(proxy, "toxics", toxic), doing)

    async def settled(self) -> None:
        """Wait until no call is under way, at most one limit.

        A call whose caller was cancelled may still reach the server, so what is there is known only after.
        """
        await self._control.settled()

    def _proxy(self, shown: Any) -> Proxy:
        try:
            return Proxy(shown["name"], shown["listen"], shown["upstream"], shown["enabled"])
        except (KeyError, TypeError):
            raise self._control.strange(str(shown), "show a proxy") from None


def _path(*names: str) -> str:
    return "/proxies/" + "/".join(quote(name, safe="") for name in names)
