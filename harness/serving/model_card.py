"""What /v1/models says, and how a tier that serves no model itself asks one that does."""

import time

import aiohttp
import msgspec
from aiohttp import web

MODELS = "/v1/models"
TIMEOUT_S = 2.0


class ModelCard(msgspec.Struct, frozen=True):
    """One model in the body of GET /v1/models."""

    id: str
    created: int  # calendar time in seconds
    max_model_len: int | msgspec.UnsetType = msgspec.UNSET  # tokens of prompt and answer; left out if unknown
    object: str = "model"
    owned_by: str = "limplock"


class _Models(msgspec.Struct, frozen=True):
    data: list[ModelCard]
    object: str = "list"


def new_card(model: str, max_model_len: int | msgspec.UnsetType = msgspec.UNSET) -> ModelCard:
    """The card of a model that is served from now on."""
    return ModelCard(id=model, created=int(time.time()), max_model_len=max_model_len)


def models_response(card: ModelCard) -> web.Response:
    return web.Response(body=msgspec.json.encode(_Models([card])), content_type="application/json")


async def ask_card(url: str) -> ModelCard | None:
    """The card of the model served at `url`, None if it does not say within TIMEOUT_S."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url + MODELS) as response:
            return msgspec.json.decode(await response.read(), type=_Models).data[0]
    except (aiohttp.ClientError, OSError, TimeoutError, msgspec.DecodeError, IndexError):
        return None
