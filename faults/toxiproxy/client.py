"""Toxiproxy for asyncio, in our words: `worker` for what it calls upstream, `to_worker` and `to_caller`.

Only proxies and toxics that are named are touched. The global reset is never called: others may use the
same server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from faults.toxiproxy import owned
from faults.toxiproxy.control import Control
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.errors import ToxiproxyError
from faults.toxiproxy.live_connection import LiveConnection
from faults.toxiproxy.owned import ToxicOrder

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
        self._extended: bool | None = None  # whether it has our extensions, once asked

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

    async def update_toxic(
        self, proxy: str, name: str, attributes: Mapping[str, int], toxicity: float | None = None
    ) -> None:
        """Change these attributes of a toxic, on open connections too; `toxicity` stays without a new one."""
        wanted: dict[str, Any] = {"attributes": dict(attributes)}
        if toxicity is not None:
            wanted["toxicity"] = toxicity
        doing = f"change toxic '{name}' of proxy '{proxy}'"
        await self._control.post(_path(proxy, "toxics", name), wanted, doing)

    # Beyond the original. `owner` is a name of ours: see `owned`.

    async def has_extensions(self) -> bool:
        """Whether the server knows what is under /x/: ours does, the original does not."""
        if self._extended is None:
            self._extended = await self._control.has("/x", "tell what it can do")
        return self._extended

    async def set_toxics(
        self, proxy: str, owner: str, toxics: Sequence[ToxicOrder], time_limit_s: float
    ) -> None:
        """Have exactly these toxics of `owner` on a proxy: others of theirs go, those of strangers stay.

        Those that stay are changed in place. Again before `time_limit_s` has passed renews them; later the
        server has taken them off itself. ValueError for a toxic that has no good name or direction.

        The original has neither the one call nor the time limit: there it takes a call for each change, and
        whoever set them must clear them. Removing from a link that holds data for a caller who has left
        hangs the original 2.12 for good: replace the proxy instead of calling this with fewer toxics.
        """
        wanted = owned.orders(owner, toxics)
        if await self.has_extensions():
            limited = [{**each, "time_limit_s": time_limit_s} for each in wanted.values()]
            path = f"/x{_path(proxy, 'toxics')}?owner={quote(owner, safe='')}"
            await self._control.put(path, limited, f"set the toxics of '{owner}' on proxy '{proxy}'")
        else:
            await self._set_one_by_one(proxy, owner, wanted)

    async def clear_toxics(self, proxy: str, owner: str) -> None:
        """Take all toxics of `owner` off a proxy. See `set_toxics` on why not on the original."""
        await self.set_toxics(proxy, owner, (), 1.0)

    async def connections(self, proxy: str) -> tuple[LiveConnection, ...]:
        """The open connections of a proxy, oldest first. The original has no list of them."""
        if not await self.has_extensions():
            raise ToxiproxyError(
                f"the Toxiproxy at {self.url} has no list of connections: only limplock's own has. "
                "Use --toxiproxy embedded"
            )
        doing = f"list the connections of proxy '{proxy}'"
        shown = await self._control.get(f"/x{_path(proxy, 'connections')}", doing)
        return tuple(LiveConnection.read(each) for each in shown["connections"])

    async def _set_one_by_one(self, proxy: str, owner: str, wanted: Mapping[str, Any]) -> None:
        shown = await self._control.get(_path(proxy, "toxics"), f"list the toxics of proxy '{proxy}'")
        there = {each["name"]: (each["type"], each["stream"]) for each in shown}
        fixed = {name: (each["type"], each["stream"]) for name, each in wanted.items()}
        changes = owned.changes(there, fixed, owner)
        for name in changes.remove:
            await self.remove_toxic(proxy, name)
        for name in changes.update:
            await self.update_toxic(proxy, name, wanted[name]["attributes"], wanted[name]["toxicity"])
        for name in changes.add:
            await self._control.post(
                _path(proxy, "toxics"), wanted[name], f"add toxic '{name}' to proxy '{proxy}'"
            )

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
