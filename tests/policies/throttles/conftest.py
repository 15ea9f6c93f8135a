"""A pool that ends calls as told, and a stream of calls to a layer in front of it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Kind, Outcome

FAILED = Outcome(kind=Kind.ERROR, status=500)


class Backend:
    """Takes every call for `takes_s` with the first token after `ttft_s`, and ends it with `ending`."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        self.takes_s = 0.5
        self.ttft_s: float | None = None
        self.ending: Outcome = OK
        self.served = 0

    async def __call__(self, call: Call) -> Outcome:
        now = asyncio.get_running_loop().time
        self.served += 1
        attempt = Attempt(call=call, worker="w0", number=1, started_s=now())
        attempt.on_first_token = self.layer.first_token
        if self.ttft_s is not None:
            await asyncio.sleep(self.ttft_s)
            attempt.deliver(Chunk(b""), now())
        await asyncio.sleep(self.takes_s - (self.ttft_s or 0.0))
        return self.ending


@pytest.fixture
def backend() -> Callable[[Any], Backend]:
    return Backend


@pytest.fixture
def offer() -> Callable[..., Any]:
    """Sends so many calls a second for a while and waits for all; their outcomes in order of sending."""

    async def offer(
        layer: Any, backend: Backend, *, per_s: float, for_s: float, purpose: str = "", **call: Any
    ) -> list[Outcome]:
        tasks = []
        for number in range(round(per_s * for_s)):
            one = Call(id=str(number), seed=f"{purpose} {number}", **call)
            tasks.append(asyncio.create_task(layer.run(one, backend)))
            await asyncio.sleep(1 / per_s)
        return await asyncio.gather(*tasks)

    return offer


@pytest.fixture
def refused_ratio() -> Callable[[list[Outcome]], float]:
    def refused_ratio(outcomes: list[Outcome]) -> float:
        return sum(outcome.kind is Kind.REJECTED for outcome in outcomes) / len(outcomes)

    return refused_ratio
