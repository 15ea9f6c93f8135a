"""What is shown under /x/: the original's fields, then ours."""

import asyncio
from typing import Any

from faults.toxiproxy import wire
from faults.toxiproxy.address import join
from faults.toxiproxy.connection import Connection
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.proxy import Proxy
from faults.toxiproxy.side import Side


def show_proxy(proxy: Proxy) -> dict[str, Any]:
    """A proxy with how it receives and how many connections it has."""
    shown = wire.show_proxy(proxy)
    del shown["Logger"]
    return {
        **shown,
        "toxics": show_toxics(proxy),
        "accept_delay_ms": proxy.reception.accept_delay_ms,
        "refuse_when_down": proxy.reception.refuse_when_down,
        "connections": len(proxy.connections),
    }


def show_toxics(proxy: Proxy) -> list[dict[str, Any]]:
    """In the order in which they were added."""
    return [show_toxic(proxy, placement) for placement in proxy.toxics]


def show_toxic(proxy: Proxy, placement: Placement) -> dict[str, Any]:
    """A toxic as it is now, how long it stays and where its numbers go; null for not at all."""
    upkeep = proxy.toxics.upkeep
    ramp = upkeep.ramp_of(placement.name)
    return {
        **wire.show_toxic(placement),
        "time_left_s": upkeep.time_left_s(placement.name),
        "ramp_to": None if ramp is None else ramp.end.attributes(),
        "ramp_s": None if ramp is None else ramp.over_s,
    }


def show_connections(proxy: Proxy) -> list[dict[str, Any]]:
    """The open ones, oldest first."""
    return [_show_connection(proxy, each) for each in proxy.connections]


def _show_connection(proxy: Proxy, connection: Connection) -> dict[str, Any]:
    """Bytes are those that went out on the far side. Toxics are told apart once the worker is reached."""
    links = connection.links
    applied = [name for link in links.values() for name in link.names()]
    live = {direction for direction, link in links.items() if not link.done}
    return {
        "caller": _peer(connection.caller),
        "worker": _peer(connection.worker),
        "age_s": asyncio.get_running_loop().time() - connection.began_s,
        "to_worker_bytes": _written(connection, Direction.TO_WORKER),
        "to_caller_bytes": _written(connection, Direction.TO_CALLER),
        "toxics": applied,
        "escaped": [
            each.name for each in proxy.toxics if each.direction in live and each.name not in applied
        ],
    }


def _written(connection: Connection, direction: Direction) -> int:
    link = connection.links.get(direction)
    return 0 if link is None else link.written_bytes


def _peer(side: Side) -> str | None:
    """host:port of the other end; null while there is none."""
    name = side.transport.get_extra_info("peername") if side.transport is not None else None
    return join(name[0], name[1]) if name else None
