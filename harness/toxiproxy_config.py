"""The file of `limplock toxiproxy -config`: a JSON array of proxies, perhaps with toxics."""

import json
from collections.abc import Iterator
from pathlib import Path

from faults.toxiproxy import body
from faults.toxiproxy.address import listen_address
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.extended_wire import proxy_order
from harness.errors import BadInput

_BLANK = " \t\r\n"


def read_config(path: Path) -> bytes:
    """What the file says, checked but for whether the ports are free. BadInput names the line."""
    try:
        raw = path.read_bytes()
        text = raw.decode()
        value = json.loads(text)
    except OSError as wrong:
        raise BadInput(f"-config: cannot read '{path}': {wrong.strerror}") from wrong
    except UnicodeDecodeError as wrong:
        line = raw[: wrong.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: expected UTF-8, got byte {raw[wrong.start]:#04x}") from wrong
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{path}, line {wrong.lineno}: no JSON: {wrong.msg}") from wrong
    except (RecursionError, ValueError) as wrong:  # too deep; a number of thousands of digits
        raise BadInput(f"{path}: no JSON that can be read: {wrong}") from wrong
    if not isinstance(value, list):
        raise BadInput(f'{path}, line 1: expected an array of proxies: [{{"name": ..., "upstream": ...}}]')
    for line, proxy in elements(text):
        _check(f"{path}, line {line}", proxy)
    return raw


def elements(text: str) -> Iterator[tuple[int, str]]:
    """Each element of the JSON array in `text`: the line where it begins, counted from 1, and its text."""
    decoder = json.JSONDecoder()
    at = _skip(text, text.index("[") + 1, _BLANK)
    while text[at] != "]":
        _, end = decoder.raw_decode(text, at)
        yield text.count("\n", 0, at) + 1, text[at:end]
        at = _skip(text, end, _BLANK + ",")


def _skip(text: str, at: int, characters: str) -> int:
    while text[at] in characters:
        at += 1
    return at


def _check(where: str, proxy: str) -> None:
    """Refuses what the server would, before it is started."""
    try:
        setting, _ = proxy_order(body.parse(proxy.encode()))
        listen_address(setting.listen)
    except Refused as refused:
        raise BadInput(f"{where}: {refused.text.removeprefix('bad request body: ')}") from refused
