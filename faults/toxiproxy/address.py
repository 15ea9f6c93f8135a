"""`host:port` texts, read the way Toxiproxy's users write them, with loopback as the only place to listen."""

import ipaddress
import re

from faults.toxiproxy.errors import Refused


def listen_address(text: str, before: str = "listen tcp: ") -> tuple[str, int]:
    """Host and port to listen on. `localhost`, no host and no text at all mean 127.0.0.1; port 0 means any.

    Refused 500 for a text that is no address, as the original answers, which says `before` where it goes on
    to listen; 400 for a host beyond loopback.
    """
    if not text:
        return "127.0.0.1", 0
    try:
        host, port = split(text)
    except ValueError as error:
        raise Refused(500, f"{before}{error}") from None
    if host in ("", "localhost"):
        return "127.0.0.1", port
    if not is_loopback(host):
        raise Refused(400, f"listen {text}: only loopback is served here; use 127.0.0.1:{port}")
    return host, port


def split(text: str) -> tuple[str, int]:
    """`127.0.0.1:80` or `[::1]:80` as host and port. ValueError when it is neither."""
    host, colon, port = text.rpartition(":")
    if not colon:
        raise ValueError(f"address {text}: missing port in address")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"address {text}: too many colons in address")
    if not re.fullmatch(r"-?[0-9]{1,18}", port):
        raise ValueError(f"lookup tcp/{port}: unknown port")
    if not 0 <= int(port) <= 65535:
        raise ValueError(f"address {port}: invalid port")
    return host, int(port)


def join(host: str, port: int) -> str:
    """Host and port as one text, an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's loopback, judged without asking a name server."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
