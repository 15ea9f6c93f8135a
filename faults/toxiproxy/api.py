"""The control plane: Toxiproxy's HTTP routes, codes and texts."""

from typing import Any

from aiohttp import web

from faults.toxiproxy import body, extended_api, wire
from faults.toxiproxy.answers import json_answer, manners
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.order import NO_EXTRAS
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.proxies import PROXIES, Proxies
from faults.toxiproxy.proxy import Proxy

VERSION = "2.12.0-embedded"  # the wire that it speaks, and that it is not the original

MAX_BODY_BYTES = 16 * 1024 * 1024


def application(proxies: Proxies) -> web.Application:
    """The routes of a server that holds `proxies`, and ours under /x/."""
    app = web.Application(middlewares=[manners], client_max_size=MAX_BODY_BYTES)
    app[PROXIES] = proxies
    app.router.add_get("/version", _version, allow_head=False)
    app.router.add_get("/proxies", _list, allow_head=False)
    app.router.add_post("/proxies", _create)
    app.router.add_post("/populate", _populate)
    app.router.add_post("/reset", _reset)
    app.router.add_get("/proxies/{proxy:[^/]+}", _show, allow_head=False)
    app.router.add_delete("/proxies/{proxy:[^/]+}", _delete)
    app.router.add_get("/proxies/{proxy:[^/]+}/toxics", _toxics, allow_head=False)
    app.router.add_post("/proxies/{proxy:[^/]+}/toxics", _add_toxic)
    app.router.add_get("/proxies/{proxy:[^/]+}/toxics/{toxic:[^/]+}", _show_toxic, allow_head=False)
    app.router.add_delete("/proxies/{proxy:[^/]+}/toxics/{toxic:[^/]+}", _remove_toxic)
    for method in ("POST", "PATCH"):  # POST is the older way, and what most clients send
        app.router.add_route(method, "/proxies/{proxy:[^/]+}", _update)
        app.router.add_route(method, "/proxies/{proxy:[^/]+}/toxics/{toxic:[^/]+}", _update_toxic)
    extended_api.add_routes(app)
    return app


async def _version(_: web.Request) -> web.Response:
    text = f'{{"version": "{VERSION}"}}\n'
    return web.Response(body=text.encode(), headers={"Content-Type": "application/json;charset=utf-8"})


async def _list(request: web.Request) -> web.Response:
    proxies = request.app[PROXIES].all()
    return json_answer({proxy.setting.name: wire.show_proxy(proxy) for proxy in proxies})


async def _create(request: web.Request) -> web.Response:
    setting = wire.new_setting(body.parse(await request.read()))
    return json_answer(wire.show_proxy(await request.app[PROXIES].create(setting)), 201)


async def _populate(request: web.Request) -> web.Response:
    """Errors come merged with what was made before them, as JSON."""
    made: list[Proxy] = []
    error: dict[str, Any] = {}
    try:
        await populate(request.app[PROXIES], await request.read(), made)
    except Refused as refused:
        error = {"error": refused.text, "status": refused.status}
    shown = [wire.show_proxy(proxy) for proxy in made] or None
    return json_answer({**error, "proxies": shown}, error.get("status", 201))


async def populate(proxies: Proxies, raw: bytes, made: list[Proxy]) -> None:
    """Make what the JSON in `raw` lists, toxics ignored; appends each to `made`, until one is Refused."""
    given = body.as_array(body.parse(raw), "body")
    wanted = [
        (wire.new_setting(each, f" at proxy {place}"), NO_EXTRAS) for place, each in enumerate(given, start=1)
    ]
    await proxies.populate(wanted, made)


async def _reset(request: web.Request) -> web.Response:
    await request.app[PROXIES].reset()
    return web.Response(status=204)


async def _show(request: web.Request) -> web.Response:
    return json_answer(wire.show_proxy(_proxy(request)))


async def _update(request: web.Request) -> web.Response:
    _proxy(request)  # whether it is there comes before what is wrong in the body
    given = body.as_object(body.parse(await request.read()))
    proxy = await request.app[PROXIES].configure(
        request.match_info["proxy"], lambda setting: wire.changed_setting(setting, given)
    )
    return json_answer(wire.show_proxy(proxy))


async def _delete(request: web.Request) -> web.Response:
    await request.app[PROXIES].delete(request.match_info["proxy"])
    return web.Response(status=204)


async def _toxics(request: web.Request) -> web.Response:
    return json_answer(wire.show_toxics(_proxy(request)))


async def _add_toxic(request: web.Request) -> web.Response:
    _proxy(request)  # see above
    given = body.as_object(body.parse(await request.read()))
    proxy = _proxy(request)  # as it is after the body has come
    placement = wire.new_placement(given, proxy.toxics.names(), request.app[PROXIES].mode)
    proxy.toxics.add(placement)
    return json_answer(wire.show_toxic(placement))


async def _show_toxic(request: web.Request) -> web.Response:
    return json_answer(wire.show_toxic(_toxic(request)))


async def _update_toxic(request: web.Request) -> web.Response:
    _toxic(request)  # see above
    given = body.as_object(body.parse(await request.read()))
    proxy = _proxy(request)
    old = _toxic(request)
    try:
        placement = wire.changed_placement(old, given, request.app[PROXIES].mode)
    except wire.HalfDone as half:
        proxy.toxics.update(half.placement)
        raise
    proxy.toxics.update(placement)
    return json_answer(wire.show_toxic(placement))


async def _remove_toxic(request: web.Request) -> web.Response:
    _proxy(request).toxics.remove(request.match_info["toxic"])
    return web.Response(status=204)


def _proxy(request: web.Request) -> Proxy:
    return request.app[PROXIES].get(request.match_info["proxy"])


def _toxic(request: web.Request) -> Placement:
    return _proxy(request).toxics.get(request.match_info["toxic"])
