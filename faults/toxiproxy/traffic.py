"""How many bytes went through which proxy: counted while they flow, kept after the connection has ended."""

from collections import Counter
from dataclasses import dataclass

from faults.toxiproxy.connection import Connection


@dataclass(frozen=True, slots=True, order=True)
class Way:
    """One direction of a proxy at a place: what the original tells apart. Its own words, for its own wire."""

    direction: str  # upstream | downstream
    listener: str  # host:port
    proxy: str
    upstream: str  # host:port


class Traffic:
    """Sums by way. `begin` and `end` frame a connection; in between its own counts are looked up."""

    def __init__(self) -> None:
        self._live: dict[Connection, tuple[str, str, str]] = {}
        self._received: Counter[Way] = Counter()
        self._sent: Counter[Way] = Counter()

    def begin(self, connection: Connection, listener: str, proxy: str, upstream: str) -> None:
        """A caller was accepted."""
        self._live[connection] = (listener, proxy, upstream)

    def end(self, connection: Connection) -> None:
        """Both its sockets are closed. Counts once."""
        place = self._live.pop(connection, None)
        if place is not None:
            _add(connection, place, self._received, self._sent)

    def totals(self) -> tuple[Counter[Way], Counter[Way]]:
        """Bytes received and bytes sent, up to now."""
        received, sent = self._received.copy(), self._sent.copy()
        for connection, place in self._live.items():
            _add(connection, place, received, sent)
        return received, sent


def _add(
    connection: Connection, place: tuple[str, str, str], received: Counter[Way], sent: Counter[Way]
) -> None:
    for direction, link in connection.links.items():
        way = Way(direction.stream, *place)
        received[way] += link.read_bytes
        sent[way] += link.written_bytes
