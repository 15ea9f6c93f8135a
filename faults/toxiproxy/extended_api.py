"""Routes that the original does not have, all under /x/. docs/toxiproxy.md describes them."""

from aiohttp import web

from faults.toxiproxy import body, extended_wire, wire
from faults.toxiproxy.answers import json_answer
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.extended_view import show_connections, show_proxy, show_toxic, show_toxics
from faults.toxiproxy.proxies import PROXIES, Proxies
from faults.toxiproxy.proxy import Proxy
from faults.toxiproxy.toxics import ORIGINALS, TOXICS


def add_routes(app: web.Application) -> None:
    """Next to the original's."""
    app.router.add_get("/x", _about, allow_head=False)
    app.router.add_get("/x/proxies", _list, allow_head=False)
    app.router.add_post("/x/proxies", _create)
    app.router.add_post("/x/populate", _populate)
    app.router.add_get("/x/proxies/{proxy:[^/]+}", _show, allow_head=False)
    app.router.add_get("/x/proxies/{proxy:[^/]+}/connections", _connections, allow_head=False)
    app.router.add_get("/x/proxies/{proxy:[^/]+}/toxics", _toxics, allow_head=False)
    app.router.add_post("/x/proxies/{proxy:[^/]+}/toxics", _put_toxic)
    app.router.add_put("/x/proxies/{proxy:[^/]+}/toxics", _set_owned)
    for method in ("POST", "PATCH"):
        app.router.add_route(method, "/x/proxies/{proxy:[^/]+}", _update)


async def populate(proxies: Proxies, raw: bytes) -> list[Proxy]:
    """Make what the JSON in `raw` lists: proxies with toxics. Refused if anything is wrong in it.

    All is read before anything is made. Only a place that cannot be listened on may stop it half way.
    """
    given = body.as_array(body.parse(raw), "body")
    wanted = [
        extended_wire.proxy_order(each, f" at proxy {place}") for place, each in enumerate(given, start=1)
    ]
    made: list[Proxy] = []
    await proxies.populate(wanted, made)
    return made


async def _about(_: web.Request) -> web.Response:
    return json_answer({"extensions": 1, "toxics": sorted(TOXICS.keys() - ORIGINALS.keys())})


async def _list(request: web.Request) -> web.Response:
    return json_answer({proxy.setting.name: show_proxy(proxy) for proxy in request.app[PROXIES].all()})


async def _create(request: web.Request) -> web.Response:
    setting, extras = extended_wire.proxy_order(body.parse(await request.read()))
    return json_answer(show_proxy(await request.app[PROXIES].create(setting, extras)), 201)


async def _populate(request: web.Request) -> web.Response:
    made = await populate(request.app[PROXIES], await request.read())
    return json_answer({"proxies": [show_proxy(proxy) for proxy in made]}, 201)


async def _show(request: web.Request) -> web.Response:
    return json_answer(show_proxy(_proxy(request)))


async def _update(request: web.Request) -> web.Response:
    _proxy(request)  # whether it is there comes before what is wrong in the body
    given = body.as_object(body.parse(await request.read()))
    proxy = await request.app[PROXIES].configure(
        request.match_info["proxy"],
        lambda setting: wire.changed_setting(setting, given),
        extended_wire.changed_extras(given, toxics=False),
    )
    return json_answer(show_proxy(proxy))


async def _connections(request: web.Request) -> web.Response:
    return json_answer({"connections": show_connections(_proxy(request))})


async def _toxics(request: web.Request) -> web.Response:
    return json_answer(show_toxics(_proxy(request)))


async def _put_toxic(request: web.Request) -> web.Response:
    """Add, change or renew one."""
    _proxy(request)  # see above
    order = extended_wire.toxic_order(body.parse(await request.read()))
    proxy = _proxy(request)  # as it is after the body has come
    proxy.toxics.put(order)
    return json_answer(show_toxic(proxy, proxy.toxics.get(order.placement.name)))


async def _set_owned(request: web.Request) -> web.Response:
    owner = request.query.get("owner", "")
    if not owner:
        raise Refused(400, "missing required query: owner")
    _proxy(request)  # see above
    orders = extended_wire.toxic_orders(body.parse(await request.read()), owner)
    proxy = _proxy(request)
    proxy.toxics.set_owned(owner, orders)
    return json_answer(show_toxics(proxy))


def _proxy(request: web.Request) -> Proxy:
    return request.app[PROXIES].get(request.match_info["proxy"])
