import pytest

from harness.errors import BadInput
from harness.serving.loopback_url import loopback_url


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("http://127.0.0.1:8474", "http://127.0.0.1:8474"),
        ("http://127.0.0.2:80/", "http://127.0.0.2:80"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:8474", "http://[::1]:8474"),
    ],
)
def test_a_url_on_loopback_is_taken(text: str, meant: str) -> None:
    assert loopback_url("--gateway", text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word",
        "http://[::1",
        "http://127.0.0.1",
        "http://127.0.0.1:0",
        "http://127.0.0.1:x",
        "http://127.0.0.1:70000",
        "http://:8474",
        "https://127.0.0.1:8474",
        "http://127.0.0.1:8474/path",
        "http://127.0.0.1:8474/?a=b",
    ],
)
def test_what_is_no_whole_url_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match=r"^--gateway .*expected http://HOST:PORT, such as"):
        loopback_url("--gateway", text)


@pytest.mark.parametrize(
    "host", ["example.org", "10.0.0.1", "127.0.0.1.example.org", "127.0.0.1@example.org", "[::]"]
)
def test_a_host_beyond_loopback_is_refused(host: str) -> None:
    with pytest.raises(BadInput, match=r"^--toxiproxy .*is not on loopback"):
        loopback_url("--toxiproxy", f"http://{host}:8474")
