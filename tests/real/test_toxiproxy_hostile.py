"""Whatever is thrown at our server: no crash, no hang, no 500, and all that it made can be deleted."""

import http.client
import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from faults.toxiproxy.toxics import TOXICS
from tests.real.threaded_toxiproxy import Threaded, threaded_toxiproxy

pytestmark = pytest.mark.real

LIMIT_S = 5.0  # for any answer
NO_PLACE = re.compile(rb'{"error":"(listen tcp|address)')  # 500 in the original: nobody can listen there
TYPES = sorted(TOXICS)
METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"]
ROUTES = [
    "/proxies",
    "/populate",
    "/proxies/p",
    "/proxies/p/toxics",
    "/proxies/p/toxics/t",
    "/reset",
    "/x/proxies",
    "/x/populate",
    "/x/proxies/p",
    "/x/proxies/p/toxics",
    "/x/proxies/p/toxics?owner=me",
    "/x/proxies/p/connections",
]
FIELDS = ["name", "listen", "upstream", "enabled", "toxics", "type", "stream", "toxicity", "attributes"]
FIELDS += ["time_limit_s", "ramp_to", "ramp_s", "accept_delay_ms", "refuse_when_down", "Name", "LISTEN"]
FIELDS += sorted({field for toxic in TOXICS.values() for field in toxic().attributes()})

ODD = "p t 127.0.0.1:0 127.0.0.1:9 localhost:0 [::1]:0 :0 -1:1 upstream a/b . .. %2f {} <&>".split()
texts = st.text(max_size=20) | st.sampled_from([*ODD, "\x00", "\ud800", *TYPES])
numbers = st.integers() | st.sampled_from([0, -1, 2**31, 2**63, 10**400, 1e308, 1e-320]) | st.floats()
leaves = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | texts, inner, max_size=4)
    ),
    max_leaves=8,
)
proxies = st.fixed_dictionaries(
    {"name": texts, "upstream": texts | st.just("127.0.0.1:9")},
    optional={"listen": texts | values, "enabled": st.booleans() | values, "toxics": values},
)
attributes = st.dictionaries(st.sampled_from(FIELDS), numbers | values, max_size=4)
toxics = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "name": texts,
        "stream": texts,
        "toxicity": numbers,
        "attributes": attributes,
        "ramp_to": attributes,
    }
    | {"time_limit_s": numbers, "ramp_s": numbers},
)
sound_proxies = st.builds(
    lambda name, rest: {"name": name, "upstream": "127.0.0.1:9", **rest},
    texts.filter(bool),
    st.sampled_from([{}, {"listen": "127.0.0.1:0"}, {"listen": "localhost:0", "enabled": False}]),
)
sound_toxics = st.builds(
    lambda kind, rest: {"type": kind, **rest},
    st.sampled_from(TYPES),
    st.fixed_dictionaries({}, optional={"name": texts, "stream": st.sampled_from(["upstream", ""])}),
)
bodies = values | proxies | toxics | st.lists(proxies | toxics, max_size=3)


def orders(
    method: str, route: str, *right: st.SearchStrategy[Any]
) -> st.SearchStrategy[tuple[str, str, Any]]:
    """Calls that the route knows, most of them with what belongs there: only they reach what lies behind."""
    return st.tuples(st.just(method), st.just(route), st.one_of(*right))


sound = st.one_of(
    orders("POST", "/proxies", proxies, sound_proxies),
    orders("POST", "/x/proxies", proxies, sound_proxies),
    orders("POST", "/populate", st.lists(sound_proxies | proxies, max_size=3)),
    orders("POST", "/x/populate", st.lists(sound_proxies | proxies, max_size=3)),
    orders("POST", "/proxies/p", proxies, values),
    orders("PATCH", "/x/proxies/p", proxies, values),
    orders("POST", "/proxies/p/toxics", toxics, sound_toxics),
    orders("POST", "/x/proxies/p/toxics", toxics, sound_toxics),
    orders("PATCH", "/proxies/p/toxics/t", toxics),
    orders("PUT", "/x/proxies/p/toxics?owner=me", st.lists(sound_toxics | toxics, max_size=3)),
)
anything = st.tuples(st.sampled_from(METHODS), st.sampled_from(ROUTES), bodies)


@pytest.fixture(scope="module")
def server() -> Iterator[Threaded]:
    with threaded_toxiproxy() as running:
        yield running


@pytest.fixture(scope="module")
def calls(server: Threaded) -> Iterator[http.client.HTTPConnection]:
    """One connection that is kept."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S)
    yield connection
    connection.close()


def cases(count: int) -> settings:
    """So many of the 10,000; the same ones every time."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # to make a failure smaller takes longer than to read it
        suppress_health_check=list(HealthCheck),
    )


def call(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any = None
) -> tuple[int, bytes]:
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, answer.read()


def still_well(server: Threaded, connection: http.client.HTTPConnection) -> None:
    """It answers, and nothing went wrong inside."""
    assert call(connection, "GET", "/version")[0] == 200
    assert server.defects == []


def escaped(name: str) -> str:
    """As a part of a path; a dot too, or `..` would lead elsewhere."""
    return quote(name, safe="").replace(".", "%2E")


def as_before(connection: http.client.HTTPConnection) -> None:
    """Proxy p with toxic t and no other: what else is there can be deleted."""
    there = json.loads(call(connection, "GET", "/proxies")[1])
    for name in there:
        if name != "p" or [toxic["name"] for toxic in there["p"]["toxics"]] != ["t"]:
            path = "/proxies/" + escaped(name)
            assert call(connection, "DELETE", path)[0] == 204, name
            there = {**there, name: None}
    if there.get("p") is None:
        p = {"name": "p", "upstream": "127.0.0.1:9", "listen": "127.0.0.1:0"}
        p["toxics"] = [{"name": "t", "type": "latency"}]
        assert call(connection, "POST", "/x/proxies", json.dumps(p))[0] == 201


ODD_NAMES = [".", "..", "\ud800", "\\ud800", "a/b", "a//b", "%2f", "{}", "\x00", "<&>", "a?b#c", " "]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_an_odd_name_is_listed_and_deleted(
    server: Threaded, calls: http.client.HTTPConnection, name: str
) -> None:
    order = {"name": name, "upstream": "127.0.0.1:9", "listen": "127.0.0.1:0"}
    assert call(calls, "POST", "/proxies", json.dumps(order))[0] == 201
    (listed,) = set(json.loads(call(calls, "GET", "/proxies")[1])) - {"p"}
    assert listed == name.replace("\ud800", "\ufffd")
    assert call(calls, "DELETE", "/proxies/" + escaped(listed))[0] == 204
    still_well(server, calls)


def test_no_json_is_too_odd(server: Threaded, calls: http.client.HTTPConnection) -> None:
    statuses: Counter[int] = Counter()

    @cases(3000)
    @given(order=st.one_of(sound, sound, sound, anything), twice=st.booleans())
    def each(order: tuple[str, str, Any], twice: bool) -> None:
        method, route, value = order
        text = json.dumps(value)
        if twice and text.startswith("{") and text != "{}":
            text = text[:-1] + "," + text[1:]  # every key twice
        status, said = call(calls, method, route, text)
        assert status < 500 or NO_PLACE.match(said), (status, said)
        statuses[status] += 1
        as_before(calls)
        assert server.defects == []

    as_before(calls)
    each()
    still_well(server, calls)
    assert statuses[200] + statuses[201] > 900  # or it would show only that all is refused
    assert statuses[400] > 600


@cases(100)
@given(depth=st.integers(1, 100_000), opening=st.sampled_from(["[", '{"a":', '{"attributes":{"latency":']))
def test_no_nesting_is_too_deep(
    server: Threaded, calls: http.client.HTTPConnection, depth: int, opening: str
) -> None:
    status, said = call(calls, "POST", "/proxies", opening * depth)
    assert status == 400, (status, said)
    still_well(server, calls)


def exchange(address: tuple[str, int], data: bytes, *, end: bool) -> bytes:
    """Send it and read what comes until the other side ends."""
    said = bytearray()
    with socket.create_connection(address, LIMIT_S) as caller:
        try:
            caller.sendall(data)
            if end:
                caller.shutdown(socket.SHUT_WR)
            while piece := caller.recv(65536):
                said += piece
        except TimeoutError:
            raise
        except OSError:
            pass  # closed on us: a right answer to garbage
    return bytes(said)


words = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabc-", min_size=1, max_size=8).map(str.encode)
lines = st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b""))


@cases(2400)
@given(
    method=st.sampled_from(METHODS).map(str.encode) | words,
    path=st.sampled_from(ROUTES).map(str.encode) | lines.map(lambda rest: b"/" + rest),
    headers=st.lists(st.tuples(words | lines, lines), max_size=4),
    body=st.binary(max_size=60),
    length=st.integers(-5, 100) | st.none(),
)
def test_no_request_is_too_broken(
    server: Threaded,
    calls: http.client.HTTPConnection,
    method: bytes,
    path: bytes,
    headers: list[tuple[bytes, bytes]],
    body: bytes,
    length: int | None,
) -> None:
    given_length = len(body) if length is None else length
    rest = b"".join(b"%b: %b\r\n" % header for header in headers)
    head = b"%b %b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n" % (
        method,
        path,
        given_length,
    )
    said = exchange(("127.0.0.1", server.port), head + rest + b"\r\n" + body, end=given_length > len(body))
    # A reset enables what other cases left, and nobody can listen at every address.
    assert not said.startswith(b"HTTP/1.1 5") or NO_PLACE.search(said), said
    still_well(server, calls)


@cases(3000)
@given(data=st.binary(max_size=3000))
def test_no_bytes_on_the_control_port_do_harm(
    server: Threaded, calls: http.client.HTTPConnection, data: bytes
) -> None:
    assert not exchange(("127.0.0.1", server.port), data, end=True).startswith(b"HTTP/1.1 5")
    still_well(server, calls)


@pytest.fixture(scope="module")
def listens(server: Threaded, calls: http.client.HTTPConnection) -> dict[str, tuple[str, int]]:
    """A proxy for each type of toxic, with all its attributes at 1."""
    ports = {}
    for kind in TYPES:
        toxic = {"type": kind, "attributes": dict.fromkeys(TOXICS[kind]().attributes(), 1)}
        order = {
            "name": f"with {kind}",
            "listen": "127.0.0.1:0",
            "upstream": server.worker,
            "toxics": [toxic],
        }
        status, said = call(calls, "POST", "/x/proxies", json.dumps(order))
        assert status == 201, said
        ports[kind] = ("127.0.0.1", int(json.loads(said)["listen"].split(":")[1]))
    return ports


@cases(1500)
@given(kind=st.sampled_from(TYPES), data=st.binary(max_size=3000))
def test_bytes_on_a_proxy_s_port_are_passed_on_and_nothing_else(
    server: Threaded,
    calls: http.client.HTTPConnection,
    listens: dict[str, tuple[str, int]],
    kind: str,
    data: bytes,
) -> None:
    back = exchange(listens[kind], data[:300] if kind in ("slicer", "bandwidth") else data, end=True)
    assert data.startswith(back)
    still_well(server, calls)
