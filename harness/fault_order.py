"""`limplock fault`: orders a fault from a gateway that serves."""

from collections.abc import Sequence

import aiohttp
import msgspec

from faults.registry import FAULTS, make_fault
from harness.errors import BadInput, EnvironmentFault, LimplockError, unknown
from harness.serving.gateway_server import FAULT, POOL, REFUSALS, FaultRequest, PoolCard
from harness.serving.loopback_url import loopback_url

TIMEOUT_S = 10.0


def read_parameters(kind: str, words: Sequence[str]) -> dict[str, float]:
    """`--factor 10` and `--latency-s=6` as parameters of fault `kind`. BadInput for anything else."""
    if kind not in FAULTS:
        raise unknown("fault", kind, FAULTS)
    parameters: dict[str, float] = {}
    rest = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    if len(rest) % 2:
        raise BadInput(f"'{rest[-1]}' has no value. A parameter is given as --name number")
    for flag, value in zip(rest[::2], rest[1::2], strict=True):
        if not flag.startswith("--"):
            raise BadInput(f"'{flag}' is not understood. A parameter is given as --name number")
        parameters[flag[2:].replace("-", "_")] = _number(flag, value)
    try:
        make_fault(kind, parameters)
    except ValueError as wrong:
        raise BadInput(str(wrong)) from wrong
    return parameters


async def order_fault(gateway: str, request: FaultRequest) -> None:
    """Have the gateway at URL `gateway` install the fault; the API's own base URL, with /v1, will do too.

    BadInput for another URL or an order that is wrong, EnvironmentFault if the gateway or the worker is not
    there, CleanupUnverified if the fault may be half there.
    """
    gateway = loopback_url("--gateway", gateway.rstrip("/").removesuffix("/v1"))
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            await _check(session, gateway)
            body = msgspec.json.encode(request)
            async with session.post(gateway + FAULT, data=body, allow_redirects=False) as response:
                if response.status != 200:
                    raise _refusal(response.status, await response.read())
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
        return float(value)
    except ValueError:
        raise BadInput(f"{flag} takes a number, got '{value}'") from None


def _message(body: bytes) -> str:
    class Error(msgspec.Struct):
        message: str

    class Body(msgspec.Struct):
        error: Error

    try:
        return msgspec.json.decode(body, type=Body).error.message
    except msgspec.DecodeError:
        return " ".join(body[:200].decode(errors="replace").split())
