"""Proxies and toxics as they stand on Toxiproxy's wire, and back."""

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from faults.toxiproxy import attributes, body
from faults.toxiproxy.body import Object
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.proxy import Proxy, Setting
from faults.toxiproxy.toxics import ORIGINALS
from faults.toxiproxy.toxics.toxic import Toxic


def show_proxy(proxy: Proxy) -> dict[str, Any]:
    """Keys in the original's order; its unused `Logger` is on the wire there, so it is here."""
    setting = proxy.setting
    return {
        "name": setting.name,
        "listen": setting.listen,
        "upstream": setting.upstream,
        "enabled": setting.enabled,
        "Logger": {},
        "toxics": show_toxics(proxy),
    }


def show_toxics(proxy: Proxy) -> list[dict[str, Any]]:
    """Those towards the worker first, each way in the order they were added."""
    return [
        show_toxic(placement)
        for direction in (Direction.TO_WORKER, Direction.TO_CALLER)
        for placement in proxy.toxics
        if placement.direction is direction
    ]


def show_toxic(placement: Placement) -> dict[str, Any]:
    """Keys in the original's order; a whole toxicity is written without a point."""
    toxicity = placement.toxicity
    return {
        "attributes": {**placement.toxic.attributes(), **placement.typed},
        "name": placement.name,
        "type": placement.toxic.kind,
        "stream": placement.stream,
        "toxicity": int(toxicity) if toxicity == int(toxicity) else toxicity,
    }


def new_setting(value: Any, where: str = "") -> Setting:
    """A proxy to create. Refused 400 without name or upstream; `where` ends the message."""
    given = body.as_object(value)
    setting = changed_setting(Setting(name=body.text(given, "name"), listen="", upstream=""), given)
    for field in ("name", "upstream"):
        if not getattr(setting, field):
            raise Refused(400, f"missing required field: {field}{where}")
    return setting


def changed_setting(setting: Setting, given: Object) -> Setting:
    """`setting` with what was given; the name stays."""
    return replace(
        setting,
        listen=body.text(given, "listen", setting.listen),
        upstream=body.text(given, "upstream", setting.upstream),
        enabled=body.flag(given, "enabled", setting.enabled),
    )


class HalfDone(Refused):
    """An update was refused, but part of it holds: with strict_compat the original's way."""

    def __init__(self, refused: Refused, placement: Placement) -> None:
        super().__init__(refused.status, refused.text)
        self.placement = placement


def new_placement(
    given: Object,
    taken: Container[str],
    mode: Mode = SANE,
    kinds: Mapping[str, type[Toxic]] = ORIGINALS,
) -> Placement:
    """A toxic to add; the checks come in the original's order. Refused 400, or 409 if its name is `taken`."""
    stream = body.text(given, "stream") or "downstream"
    kind = body.text(given, "type")
    name = body.text(given, "name") or f"{kind}_{stream}"
    toxicity = _toxicity(given, 1.0, mode)
    try:
        Direction.from_stream(stream)
    except ValueError:
        raise Refused(400, "stream was invalid, can be either upstream or downstream") from None
    if kind not in kinds:
        raise Refused(400, "invalid toxic type")
    if name in taken:
        raise Refused(409, "toxic already exists")
    reading = attributes.read(kinds[kind](), {}, given.get("attributes"), mode)
    if reading.refused:
        raise reading.refused
    return Placement(name, stream, reading.toxic, toxicity, reading.typed)


def changed_placement(placement: Placement, given: Object, mode: Mode = SANE) -> Placement:
    """The same toxic with the attributes and toxicity that were given. Refused 400; then nothing changes.

    With strict_compat attributes that are right hold nevertheless, and it is HalfDone.
    """
    reading = attributes.read(placement.toxic, placement.typed, given.get("attributes"), mode)
    changed = replace(placement, toxic=reading.toxic, typed=reading.typed)
    try:
        if reading.refused:
            raise reading.refused
        return replace(changed, toxicity=_toxicity(given, placement.toxicity, mode))
    except Refused as refused:
        if mode.strict_compat:
            raise HalfDone(refused, changed) from None
        raise


def _toxicity(given: Object, default: float, mode: Mode) -> float:
    toxicity = body.single(given, "toxicity", default)
    if not mode.strict_compat and not 0 <= toxicity <= 1:
        raise Refused(400, f"bad request body: toxicity: expected a number from 0 to 1, got {toxicity:g}")
    return toxicity
