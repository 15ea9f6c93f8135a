"""A worker's HTTP side: the OpenAI-style API, health, metrics, and the admin routes for faults."""

import asyncio

import msgspec
from aiohttp import web

from faults.fault import WorkerFault
from faults.registry import FAULTS, make_fault
from harness.serving.http_server import application, error_response
from harness.serving.link import LOAD
from harness.serving.load_report import LoadReport
from harness.serving.model_card import MODELS, models_response, new_card
from harness.serving.probe import PROBE
from harness.serving.probe_route import answer_probe
from harness.serving.worker import Worker
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_state import read_state

FAULT = "/admin/fault"
STATE = "/admin/state"
LONGEST_LEASE_S = 3600.0  # a fault that nobody renews must end


class FaultOrder(msgspec.Struct, frozen=True):
    """Body of POST /admin/fault. The fault ends by itself after `lease_s` unless it is posted again."""

    kind: str
    lease_s: float
    parameters: dict[str, float] = {}


class WorkerServer:
    """The routes of one worker."""

    def __init__(self, worker: Worker, meter: PrometheusMeter) -> None:
        self._worker = worker
        self._load = LoadReport(worker)
        self._exposition = worker.reports.add(lambda now: meter.exposition(worker, now))
        self._card = new_card(worker.engine.name, worker.engine.max_model_len)

    def application(self) -> web.Application:
        app = application(self._load.handle, health=self._worker.door.health)
        app.on_response_prepare.append(self._sign)
        app.router.add_get(MODELS, self._models)
        app.router.add_get("/metrics", self._metrics)
        app.router.add_get(LOAD, self._say_load)
        app.router.add_get(PROBE, answer_probe)
        app.router.add_get(STATE, self._state)
        app.router.add_post(FAULT, self._inject)
        app.router.add_delete(FAULT, self._heal)
        return app

    async def _sign(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers["X-Served-By"] = self._worker.name

    async def _models(self, request: web.Request) -> web.Response:
        return models_response(self._card)

    async def _metrics(self, request: web.Request) -> web.Response:
        body = self._exposition.read(_now())
        return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    async def _say_load(self, request: web.Request) -> web.Response:
        load = self._load.load(_now())
        return web.Response(body=msgspec.json.encode(load), content_type="application/json")

    async def _state(self, request: web.Request) -> web.Response:
        state = read_state(self._worker, _now())
        return web.Response(body=msgspec.json.encode(state), content_type="application/json")

    async def _inject(self, request: web.Request) -> web.Response:
        try:
            order = msgspec.json.decode(await request.read(), type=FaultOrder)
            fault = _fault(order)
        except (ValueError, RecursionError) as wrong:
            return error_response(str(wrong), 400)
        self._worker.inject(fault, order.lease_s)
        return web.json_response({"fault": fault.kind, "lease_s": order.lease_s})

    async def _heal(self, request: web.Request) -> web.Response:
        self._worker.heal()
        return web.json_response({"fault": "none"})


def _fault(order: FaultOrder) -> WorkerFault:
    """What is ordered. ValueError says why a worker cannot take it."""
    inside = [kind for kind, fault in FAULTS.items() if issubclass(fault, WorkerFault)]
    if order.kind not in FAULTS:
        raise ValueError(f"unknown fault '{order.kind}'; a worker takes: {', '.join(inside)}")
    if not 0 < order.lease_s <= LONGEST_LEASE_S:
        raise ValueError(f"lease_s must be above 0 and at most {LONGEST_LEASE_S:g}, got {order.lease_s}")
    fault = make_fault(order.kind, order.parameters)
    if not isinstance(fault, WorkerFault):
        raise ValueError(f"'{order.kind}' is no fault inside a worker; a worker takes: {', '.join(inside)}")
    return fault


def _now() -> float:
    return asyncio.get_running_loop().time()
