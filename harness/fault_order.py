"""`limplock fault`: orders a fault from a gateway that serves."""

from collections.abc import Iterator, Sequence

import aiohttp
import msgspec

from faults.call_text import read_number
from faults.fault import Fault
from faults.notation import read_fault, read_shape
from faults.registry import FAULTS, make_fault
from faults.shape import CONSTANT
from harness.errors import BadInput, EnvironmentFault, LimplockError
from harness.serving.gateway_server import FAULT, POOL, REFUSALS, FaultRequest, LiftRequest, PoolCard
from harness.serving.loopback_url import loopback_url

TIMEOUT_S = 10.0


def read_order(kind: str, words: Sequence[str], shape: str | None) -> Fault:
    """Fault `kind` with `--factor 10` or `--latency-s=6`, or all of it in one text. BadInput otherwise."""
    try:
        if "(" in kind or kind not in FAULTS:  # a text that is no fault is refused as everywhere
            return _whole(kind, words, shape)
        return make_fault(kind, _parameters(words), CONSTANT if shape is None else read_shape(shape))
    except ValueError as wrong:
        raise BadInput(str(wrong)) from wrong


def _whole(text: str, words: Sequence[str], shape: str | None) -> Fault:
    fault = read_fault(text)
    if words or shape is not None:
        raise BadInput(f"'{(*words, '--shape')[0]}' is to stand within the parentheses of {fault.kind}")
    return fault


def _parameters(words: Sequence[str]) -> dict[str, float]:
    parameters: dict[str, float] = {}
    for flag, value in _flags(words):
        name = flag[2:].replace("-", "_")
        if name in parameters:
            raise BadInput(f"{flag} is given twice. Name each parameter once")
        parameters[name] = _number(flag, value)
    return parameters


def _flags(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    rest = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    if len(rest) % 2:
        raise BadInput(f"'{rest[-1]}' has no value. A parameter is given as --name number")
    for flag, value in zip(rest[::2], rest[1::2], strict=True):
        if not flag.startswith("--"):
            raise BadInput(f"'{flag}' is not understood. A parameter is given as --name number")
        yield flag, value


async def order_fault(gateway: str, request: FaultRequest) -> None:
    """Have the gateway at URL `gateway` install the fault; the API's own base URL, with /v1, will do too.

    BadInput for another URL or an order that is wrong, EnvironmentFault if the gateway or the worker is not
    there, CleanupUnverified if the fault may be half there.
    """
    await _ask(gateway, "POST", msgspec.json.encode(request))


async def lift_fault(gateway: str, worker: str) -> str:
    """Have the fault at `worker` ended now, and say which it was. Raises what `order_fault` does."""
    answer = await _ask(gateway, "DELETE", msgspec.json.encode(LiftRequest(worker)))
    return msgspec.json.decode(answer, type=LiftRequest).fault


async def _ask(gateway: str, method: str, body: bytes) -> bytes:
    gateway = loopback_url("--gateway", gateway.rstrip("/").removesuffix("/v1"))
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            await _check(session, gateway)
            async with session.request(method, gateway + FAULT, data=body, allow_redirects=False) as response:
                answer = await response.read()
                if response.status != 200:
                    raise _refusal(response.status, answer)
                return answer
    except (aiohttp.ClientError, TimeoutError) as lost:
        cause = f"no gateway at {gateway} ({type(lost).__name__}). Start one with `limplock serve`"
        raise EnvironmentFault(cause) from lost


async def _check(session: aiohttp.ClientSession, gateway: str) -> None:
    """See that it is a gateway of ours before asking anything of it."""
    async with session.get(gateway + POOL, allow_redirects=False) as response:
        try:
            msgspec.json.decode(await response.read(), type=PoolCard)
        except msgspec.DecodeError as other:
            raise EnvironmentFault(f"what listens at {gateway} is not a limplock gateway") from other


def _refusal(status: int, body: bytes) -> LimplockError:
    kind = REFUSALS.get(status, EnvironmentFault)
    return kind(f"the gateway refused: {_message(body)}")


def _number(flag: str, value: str) -> float:
    try:
        return read_number(value)
    except ValueError as wrong:
        raise BadInput(f"{flag}: {wrong}") from None


def _message(body: bytes) -> str:
    class Error(msgspec.Struct):
        message: str

    class Body(msgspec.Struct):
        error: Error

    try:
        return msgspec.json.decode(body, type=Body).error.message
    except msgspec.DecodeError:
        return " ".join(body[:200].decode(errors="replace").split())
