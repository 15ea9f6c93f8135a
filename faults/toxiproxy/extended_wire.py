"""Proxies and toxics as they stand under /x/, and back: the original's fields and some of ours.

Here nothing is ignored: a field that is not known, or a value out of range, is refused in any mode.
"""

from collections.abc import Collection
from typing import Any

from faults.toxiproxy import attributes, body, wire
from faults.toxiproxy.body import Object
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import SANE
from faults.toxiproxy.order import Extras, TimedToxic
from faults.toxiproxy.owned import belongs
from faults.toxiproxy.proxy import Setting
from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.reception import Reception
from faults.toxiproxy.toxics import TOXICS
from faults.toxiproxy.toxics.toxic import Toxic

MAX_S = 10.0**6  # about 11 days

_PROXY = ("name", "listen", "upstream", "enabled", "logger", "toxics", "accept_delay_ms", "refuse_when_down")
_TOXIC = ("name", "type", "stream", "toxicity", "attributes", "time_limit_s", "ramp_to", "ramp_s")


def proxy_order(value: Any, where: str = "") -> tuple[Setting, Extras]:
    """A proxy to create, with its toxics. Refused 400 or 409 for anything wrong; `where` ends the message."""
    setting = wire.new_setting(value, where)
    try:
        return setting, changed_extras(body.as_object(value), toxics=True)
    except Refused as wrong:
        raise Refused(wrong.status, wrong.text + where) from None


def changed_extras(given: Object, *, toxics: bool) -> Extras:
    """What a proxy is to have beyond its setting. Refused 400 for fields that are none."""
    body.only(given, _PROXY if toxics else [field for field in _PROXY if field != "toxics"], "proxy")
    reception = Reception()
    delay_ms = body.whole(given, "accept_delay_ms", reception.accept_delay_ms)
    refuse = body.flag(given, "refuse_when_down", reception.refuse_when_down)
    try:
        Reception(delay_ms, refuse)
    except ValueError as wrong:
        raise Refused(400, f"bad request body: {wrong}") from None
    return Extras(
        accept_delay_ms=None if given.get("accept_delay_ms") is None else delay_ms,
        refuse_when_down=None if given.get("refuse_when_down") is None else refuse,
        toxics=toxic_orders(given.get("toxics")),
    )


def toxic_orders(value: Any, owner: str = "") -> list[TimedToxic]:
    """Toxics of one proxy, in order, none twice; with an `owner` all named after them. Refused 400 or 409."""
    orders: list[TimedToxic] = []
    for place, each in enumerate(body.as_array(value, "toxics"), start=1):
        try:
            orders.append(toxic_order(each, {order.placement.name for order in orders}, owner))
        except Refused as wrong:
            raise Refused(wrong.status, f"{wrong.text} at toxic {place}") from None
    return orders


def toxic_order(value: Any, taken: Collection[str] = (), owner: str = "") -> TimedToxic:
    """One toxic. Refused 400, or 409 if its name is `taken`."""
    given = body.as_object(value, "toxic")
    body.only(given, _TOXIC, "toxic")
    if (kind := body.text(given, "type")) not in TOXICS:
        raise Refused(400, f"invalid toxic type {kind!r:.60}, expected one of {', '.join(sorted(TOXICS))}")
    if owner and not given.get("name"):
        stream = body.text(given, "stream") or "downstream"
        given = {**given, "name": f"{owner}.{body.text(given, 'type')}_{stream}"}
    placement = wire.new_placement(given, set(taken), SANE, TOXICS)
    if owner and not belongs(placement.name, owner):
        raise Refused(400, f"bad request body: name: expected '{owner}.' and no dot, got '{placement.name}'")
    body.only(body.as_object(given.get("attributes")), list(placement.toxic.attributes()), "attributes")
    return TimedToxic(placement, _seconds(given, "time_limit_s"), _ramp(given, placement.toxic))


def _ramp(given: Object, start: Toxic) -> Ramp | None:
    end, over_s = given.get("ramp_to"), _seconds(given, "ramp_s")
    if end is None and over_s is None:
        return None
    if end is None or over_s is None:
        raise Refused(400, "bad request body: a ramp needs both ramp_to and ramp_s")
    body.only(body.as_object(end, "ramp_to"), list(start.attributes()), "ramp_to")
    reading = attributes.read(start, {}, end, SANE)
    if reading.refused:
        raise reading.refused
    return Ramp(start, reading.toxic, over_s)


def _seconds(given: Object, key: str) -> float | None:
    if given.get(key) is None:
        return None
    value = body.number(given, key, 0.0)
    if not 0 < value <= MAX_S:
        raise Refused(
            400, f"bad request body: {key}: expected seconds above 0 and up to {MAX_S:g}, got {value}"
        )
    return value
