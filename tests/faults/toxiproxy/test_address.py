"""Addresses as users of Toxiproxy write them."""

import pytest

from faults.toxiproxy import address
from faults.toxiproxy.errors import Refused


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("localhost:0", ("127.0.0.1", 0)),
        (":8080", ("127.0.0.1", 8080)),
        ("", ("127.0.0.1", 0)),
        ("[::1]:80", ("::1", 80)),
    ],
)
def test_a_listen_address_is_on_loopback(text: str, meant: tuple[str, int]) -> None:
    assert address.listen_address(text) == meant


@pytest.mark.parametrize("text", ["0.0.0.0:80", "[::]:80", "192.168.1.1:80", "example.org:80"])
def test_listening_beyond_loopback_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="only loopback") as refused:
        address.listen_address(text)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("garbage", "address garbage: missing port in address"),
        ("127.0.0.1:x", "lookup tcp/x: unknown port"),
        ("127.0.0.1:-1", "address -1: invalid port"),
        ("127.0.0.1:65536", "address 65536: invalid port"),
        ("::1:80", "address ::1:80: too many colons in address"),
    ],
)
def test_a_text_that_is_no_address_is_refused_as_the_original_does(text: str, why: str) -> None:
    with pytest.raises(Refused, match=f"^listen tcp: {why}$") as refused:
        address.listen_address(text)
    assert refused.value.status == 500


@pytest.mark.parametrize("text", ["127.0.0.1:80", "[::1]:80"])
def test_split_and_join_undo_each_other(text: str) -> None:
    assert address.join(*address.split(text)) == text
