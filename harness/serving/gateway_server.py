"""The gateway's HTTP side: the OpenAI-style API, the model it serves, and the ordering of faults."""

import asyncio
from collections.abc import Mapping
from importlib.metadata import version
from math import inf

import msgspec
from aiohttp import web
from msgspec import UNSET

from faults.notation import read_fault
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault, LimplockError
from harness.serving.fault_desk import FaultDesk
from harness.serving.gateway import Gateway
from harness.serving.http_server import application, error_response
from harness.serving.model_card import MODELS, ModelCard, ask_card, models_response, new_card

POOL = "/admin/pool"
FAULT = "/admin/fault"
LONGEST_FAULT_S = 86400.0  # a day

REFUSALS: dict[int, type[LimplockError]] = {  # statuses of an order that was not carried out
    400: BadInput,
    500: CleanupUnverified,
    502: EnvironmentFault,
}


class PoolCard(msgspec.Struct, frozen=True):
    """Body of GET /admin/pool: who serves here."""

    limplock: str  # version
    model: str
    workers: dict[str, str]  # name to URL


class FaultRequest(msgspec.Struct, frozen=True):
    """Body of POST /admin/fault. `fault` as it is written in a command line."""

    fault: str
    worker: str
    for_s: float


class LiftRequest(msgspec.Struct, frozen=True):
    """Body of DELETE /admin/fault, and with `fault` of its answer: what was lifted."""

    worker: str
    fault: str = ""


class GatewayServer:
    """The routes of the gateway. `bound_s`: its timeout, which faults may be sized by."""

    def __init__(
        self,
        gateway: Gateway,
        desk: FaultDesk,
        model: str,
        workers: Mapping[str, str],
        bound_s: float = inf,
    ) -> None:
        self._gateway = gateway
        self._desk = desk
        self._bound_s = bound_s
        self._card = PoolCard(limplock=version("limplock"), model=model, workers=dict(workers))
        self._model = new_card(model)

    def application(self) -> web.Application:
        app = application(self._gateway.handle)
        app.router.add_get(MODELS, self._models)
        app.router.add_get(POOL, self._pool)
        app.router.add_post(FAULT, self._fault)
        app.router.add_delete(FAULT, self._lift)
        return app

    async def _models(self, request: web.Request) -> web.Response:
        if self._model.max_model_len is UNSET:
            self._model = await self._ask() or self._model
        return models_response(self._model)

    async def _ask(self) -> ModelCard | None:
        """The card of the first worker that has one: all serve the same model."""
        cards = await asyncio.gather(*(ask_card(url) for url in self._card.workers.values()))
        return next((card for card in cards if card), None)

    async def _pool(self, request: web.Request) -> web.Response:
        return web.Response(body=msgspec.json.encode(self._card), content_type="application/json")

    async def _fault(self, request: web.Request) -> web.Response:
        try:
            order = msgspec.json.decode(await request.read(), type=FaultRequest)
            await self._order(order)
        except (LimplockError, ValueError, OSError, RecursionError) as failed:
            return _refuse(failed)
        return web.json_response({"fault": order.fault, "worker": order.worker, "for_s": order.for_s})

    async def _lift(self, request: web.Request) -> web.Response:
        try:
            order = msgspec.json.decode(await request.read(), type=LiftRequest)
            lifted = LiftRequest(order.worker, await self._desk.lift(order.worker))
        except (LimplockError, ValueError, OSError, RecursionError) as failed:
            return _refuse(failed)
        return web.Response(body=msgspec.json.encode(lifted), content_type="application/json")

    async def _order(self, order: FaultRequest) -> None:
        if not 0 < order.for_s <= LONGEST_FAULT_S:
            raise BadInput(f"--for must be above 0 s and at most {LONGEST_FAULT_S:g} s, got {order.for_s}")
        await self._desk.order(order.worker, read_fault(order.fault).sized(self._bound_s), order.for_s)


def _refuse(failed: Exception) -> web.Response:
    return error_response(str(failed), _status(failed))


def _status(failed: Exception) -> int:
    if isinstance(failed, (ValueError, RecursionError)):
        return 400
    if isinstance(failed, OSError):
        return 502
    return next((status for status, kind in REFUSALS.items() if isinstance(failed, kind)), 500)
