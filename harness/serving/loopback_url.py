"""The one check of a URL that a person gives us to talk to. Only loopback is talked to."""

from urllib.parse import urlsplit

from faults.toxiproxy.address import is_loopback, join
from harness.errors import BadInput


def loopback_url(option: str, text: str) -> str:
    """`text` as http://HOST:PORT without anything after it. BadInput that names `option` for any other text.

    The host is judged without asking a name server.
    """
    try:
        url = urlsplit(text)
        host, port = url.hostname or "", url.port or 0
    except ValueError:  # brackets without an end, a port that is none
        host, port = "", 0
    if not host or not port or (url.scheme, url.path.rstrip("/"), url.query) != ("http", "", ""):
        raise BadInput(f"{option} {text}: expected http://HOST:PORT, such as http://127.0.0.1:8474")
    if not is_loopback(host):
        raise BadInput(f"{option} {text}: {host} is not on loopback. Only 127.0.0.1 is talked to")
    return f"http://{join(host, port)}"
