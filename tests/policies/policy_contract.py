"""What holds for each policy in a gateway before workers, whatever the links: in memory or over HTTP.

A subclass has a fixture `stand`: three workers of `SEATS` seats and steps of `STEP_S` behind links.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Protocol

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.site import Site
from harness.config import find_preset
from harness.deployment import Admin
from harness.judging.history import Attempted, History
from harness.serving.gateway import Gateway
from harness.serving.link import Link
from harness.serving.openai_api import COMPLETIONS
from harness.serving.recorder import Recorder
from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.registry import POLICIES
from tests.harness.serving.memory_stand import STEP_S

SEATS, TOKENS, CALLS = 4, 6, 9
PATIENCE_S = 20.0
SLOW = 20.0
EVERY = pytest.mark.parametrize("name", POLICIES)


class PoolStand(Protocol):
    """Workers behind links. `slack_s`: how much later than it should anything may come."""

    links: Mapping[str, Link]
    sites: Mapping[str, Site]
    admins: Mapping[str, Admin]
    slack_s: float


class Asked:
    """A request under way, and what came of it."""

    def __init__(self, gateway: Gateway, number: int) -> None:
        self.pieces = 0
        self.tokens = 0
        body = {"prompt": f"ab {number}", "max_tokens": TOKENS, "stream": True, "ignore_eos": True}
        self.call = Call(
            id=f"r{number}",
            caller="chat",
            route=COMPLETIONS,
            payload=json.dumps({**body, "temperature": 0}).encode(),
            prompt_tokens=4,
            max_tokens=TOKENS,
            sink=self._take,
        )
        self.task: asyncio.Task[Outcome] = asyncio.create_task(gateway.handle(self.call))

    def _take(self, chunk) -> None:
        self.pieces += 1
        self.tokens += chunk.tokens


class PolicyContract:
    """Every policy alone, with its defaults, over workers that take turns unless it picks itself."""

    def gateway(self, stand: PoolStand, name: str) -> tuple[Gateway, History]:
        history = History()
        recorder = Recorder(history)
        recorder.start()
        pipeline = find_preset(f"{name}()").build(len(stand.links))
        return Gateway(pipeline, stand.links, recorder, seed=1), history

    @EVERY
    async def test_healthy_requests_are_answered_whole_and_leave_nothing_behind(self, stand, name):
        gateway, history = self.gateway(stand, name)
        for round_ in range(2):
            asked = [Asked(gateway, CALLS * round_ + number) for number in range(CALLS)]
            outcomes = await asyncio.gather(*(each.task for each in asked))
            assert [outcome.kind for outcome in outcomes] == [Kind.OK] * CALLS, outcomes
            assert [each.tokens for each in asked] == [TOKENS] * CALLS
        assert len([a for a in history.of(Attempted) if a.kind == "ok"]) == 2 * CALLS
        await self.at_rest(stand, gateway)

    @EVERY
    async def test_with_a_slow_worker_each_request_ends_once_and_is_answered_whole_or_not_at_all(
        self, stand, name
    ):
        gateway, history = self.gateway(stand, name)
        await stand.sites["worker-0"].inject(SlowSteps(factor=SLOW), 60.0)
        asked = [Asked(gateway, number) for number in range(CALLS)]
        outcomes = await asyncio.gather(*(each.task for each in asked))
        for each, outcome in zip(asked, outcomes, strict=True):
            assert each.tokens == TOKENS if outcome.answered else each.tokens < TOKENS
        assert sum(outcome.answered for outcome in outcomes) >= CALLS // 3
        attempts = history.of(Attempted)
        assert len({(a.request, a.number) for a in attempts}) == len(attempts)
        await self.at_rest(stand, gateway)

    @EVERY
    async def test_callers_that_leave_are_gone_at_once_and_their_work_stops(self, stand, name):
        gateway, _ = self.gateway(stand, name)
        asked = [Asked(gateway, number) for number in range(CALLS)]
        await asyncio.sleep(2 * STEP_S)
        for each in asked:
            each.task.cancel()
        await asyncio.wait([each.task for each in asked])
        assert all(each.task.cancelled() or each.task.done() for each in asked)
        await self.at_rest(stand, gateway)
        again = Asked(gateway, 99)
        assert (await again.task).answered
        assert again.tokens == TOKENS

    @EVERY
    async def test_a_worker_that_dies_costs_at_most_its_own_requests(self, stand, name):
        gateway, history = self.gateway(stand, name)
        asked = [Asked(gateway, number) for number in range(CALLS)]
        await asyncio.sleep(2 * STEP_S)
        await stand.sites["worker-1"].kill()
        outcomes = await asyncio.gather(*(each.task for each in asked))
        lost = {a.request for a in history.of(Attempted) if a.worker == "worker-1" and a.kind != "ok"}
        for each, outcome in zip(asked, outcomes, strict=True):
            assert outcome.answered or each.call.id in lost, outcome
        await self.at_rest(stand, gateway, without="worker-1")

    async def at_rest(self, stand: PoolStand, gateway: Gateway, without: str = "") -> None:
        """Nothing of any request is left, in the gateway or in a worker."""
        await gateway.close()
        assert gateway.in_flight == 0
        assert gateway._bound.pending.total() == 0
        for name, admin in stand.admins.items():
            if name != without:
                await self.until(admin, lambda state: state.running + state.waiting == 0)

    async def until(self, admin: Admin, holds: Callable[..., bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not holds(await admin.state()):
                await asyncio.sleep(STEP_S)
