"""What a link is, whichever: the same tests run on the in-memory one and on HTTP through Toxiproxy.

A subclass has a fixture `stand`: one worker of 2 seats, a queue of 2 and steps of `STEP_S`, behind a link.
"""

import asyncio
from itertools import pairwise
from statistics import median
from typing import Protocol

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import LEASE_S, Fault
from faults.link.link_latency import LinkLatency
from faults.process.killed import Killed
from faults.registry import FAULTS
from faults.site import Site, Toxic
from harness.deployment import Admin
from harness.errors import EnvironmentFault
from harness.serving.link import Link
from policies.call import Attempt
from policies.outcome import Kind, Outcome
from tests.harness.serving.memory_stand import STEP_S, attempt, latency

SEATS = MAX_QUEUE = 2
HEALTHY_S = 8 * STEP_S
PATIENCE_S = 10.0

# Each fault of the registry, with the seconds that an answer takes under it; None: there is none.
EFFECTS: dict[str, tuple[Fault, float | None]] = {
    "slow_steps": (SlowSteps(factor=5), 5 * HEALTHY_S),
    "link_latency": (LinkLatency(latency_s=1), HEALTHY_S + 1.0),
    "killed": (Killed(), None),
}


class Stand(Protocol):
    """A worker behind a link. `slack_s`: how much later than it should anything may come."""

    link: Link
    site: Site
    admin: Admin
    slack_s: float


def now() -> float:
    return asyncio.get_running_loop().time()


def begin(stand: Stand, asked: Attempt) -> "asyncio.Task[Outcome]":
    return asyncio.create_task(stand.link.send(asked))


async def fill(stand: Stand, count: int, tokens: int = 8) -> "list[asyncio.Task[Outcome]]":
    """So many requests, each there before the next."""
    tasks = []
    for number in range(count):
        tasks.append(begin(stand, attempt(f"f{number}", tokens)))
        await until(stand, tokens_or_more(number + 1))
    return tasks


def tokens_or_more(requests: int):
    return lambda state: state.running + state.waiting >= requests


async def until(stand: Stand, holds) -> None:
    """Wait until something holds of the worker's own account."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds(await stand.admin.state()):
            await asyncio.sleep(STEP_S / 4)


async def ended_s(stand: Stand) -> float:
    started_s = now()
    assert (await stand.link.send(attempt())).answered
    return now() - started_s


def about(stand: Stand, seconds: float):
    """`seconds`, or later by the slack."""
    return pytest.approx(seconds + stand.slack_s / 2, abs=stand.slack_s / 2 + 2e-3)


class LinkContract:
    async def test_an_answer_comes_token_by_token(self, stand: Stand) -> None:
        asked = attempt()
        outcome = await stand.link.send(asked)
        assert (outcome.kind, outcome.phase, asked.tokens) == (Kind.OK, "", 8)
        assert list(asked.token_times_s) == sorted(asked.token_times_s)
        gaps_s = [later - sooner for sooner, later in pairwise(asked.token_times_s)]
        assert median(gaps_s) == about(stand, STEP_S)
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_an_answer_that_does_not_stream_comes_at_once(self, stand: Stand) -> None:
        asked = attempt(stream=False)
        assert (await stand.link.send(asked)).answered
        assert (asked.tokens, len(asked.token_times_s)) == (8, 1)

    async def test_first_tokens_come_in_the_order_of_the_requests(self, stand: Stand) -> None:
        asked = [attempt(f"r{number}") for number in range(4)]
        tasks = []
        for number, each in enumerate(asked, 1):
            tasks.append(begin(stand, each))
            await until(stand, tokens_or_more(number))
        assert all(outcome.answered for outcome in await asyncio.gather(*tasks))
        firsts_s = [each.first_token_s for each in asked]
        assert firsts_s == sorted(firsts_s)
        assert firsts_s[2] - firsts_s[0] > HEALTHY_S - 3 * STEP_S  # seats were taken

    async def test_latency_holds_each_piece_and_leaves_the_gaps(self, stand: Stand) -> None:
        async with LinkLatency(latency_s=1).install(stand.site):
            asked = attempt()
            started_s = now()
            assert (await stand.link.send(asked)).answered
            assert asked.first_token_s - started_s == about(stand, STEP_S + 1.0)
            gaps_s = [later - sooner for sooner, later in pairwise(asked.token_times_s)]
            assert median(gaps_s) == about(stand, STEP_S)
            assert asked.token_times_s[-1] - started_s == about(stand, HEALTHY_S + 1.0)

    async def test_latency_on_the_way_there_holds_the_request(self, stand: Stand) -> None:
        await stand.site.set_toxics((latency(500, "to_worker"),), LEASE_S)
        started_s, task = now(), begin(stand, attempt())
        await until(stand, tokens_or_more(1))
        assert now() - started_s == about(stand, 0.5)
        assert (await task).answered

    async def test_the_workers_slot_is_free_while_the_answer_is_under_way(self, stand: Stand) -> None:
        async with LinkLatency(latency_s=2).install(stand.site):
            task = begin(stand, attempt())
            await until(stand, tokens_or_more(1))
            await until(stand, lambda state: state.running == 0)
            assert not task.done()
            assert (await task).answered

    async def test_healing_cuts_off_whoever_waits(self, stand: Stand) -> None:
        async with LinkLatency(latency_s=60).install(stand.site):
            tasks = await fill(stand, 3)
            await until(stand, lambda state: state.running + state.waiting == 0)
        outcomes = await asyncio.gather(*tasks)
        assert {(o.kind, o.phase, o.by) for o in outcomes} == {(Kind.ERROR, "stream", "worker-0")}
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_a_killed_worker_is_an_error_at_once(self, stand: Stand) -> None:
        tasks = await fill(stand, 4, tokens=400)
        before_s = now()
        async with Killed().install(stand.site):
            outcomes = [*await asyncio.gather(*tasks), await stand.link.send(attempt())]
            assert now() - before_s == about(stand, 0.0)
        assert {(o.kind, o.phase, o.by) for o in outcomes} == {(Kind.ERROR, "stream", "worker-0")}
        assert await stand.admin.state() is None

    @pytest.mark.parametrize("latency_s", [0.0, 5.0])
    async def test_a_caller_that_leaves_frees_its_slot(self, stand: Stand, latency_s: float) -> None:
        if latency_s:
            await stand.site.set_toxics(LinkLatency(latency_s=latency_s).toxics(), LEASE_S)
        tasks = await fill(stand, 4, tokens=400)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        await until(stand, lambda state: state.running + state.waiting == 0 and state.aborted == 4)

    async def test_a_probe_takes_what_the_link_takes(self, stand: Stand) -> None:
        started_s = now()
        await stand.link.probe()
        assert now() - started_s == about(stand, 0.0)
        async with LinkLatency(latency_s=1).install(stand.site):
            started_s = now()
            await stand.link.probe()
            assert now() - started_s == about(stand, 1.0)

    async def test_a_probe_of_a_killed_worker_fails(self, stand: Stand) -> None:
        await stand.site.kill()
        with pytest.raises(ConnectionError, match="worker-0"):
            await stand.link.probe()

    async def test_a_worker_says_through_the_link_what_it_has_in_flight_and_how_long_that_takes(
        self, stand: Stand
    ) -> None:
        before = await stand.link.load()
        assert before is not None
        assert (before.in_flight, before.latency_s) == (0, None)
        tasks = await fill(stand, 3)
        loaded = await stand.link.load()
        assert loaded is not None
        assert loaded.in_flight == 3
        assert all(outcome.answered for outcome in await asyncio.gather(*tasks))
        await until(stand, lambda state: state.running + state.waiting == 0)
        after = await stand.link.load()
        assert after is not None
        assert after.in_flight == 0
        assert after.latency_s == about(stand, HEALTHY_S)

    async def test_a_load_takes_what_the_link_takes(self, stand: Stand) -> None:
        async with LinkLatency(latency_s=1).install(stand.site):
            started_s = now()
            assert await stand.link.load() is not None
            assert now() - started_s == about(stand, 1.0)

    async def test_a_killed_worker_says_no_load(self, stand: Stand) -> None:
        await stand.site.kill()
        assert await stand.link.load() is None

    async def test_what_is_no_toxic_is_refused_and_changes_nothing(self, stand: Stand) -> None:
        with pytest.raises(EnvironmentFault, match="slow_food"):
            await stand.site.set_toxics((Toxic("slow_food", "to_caller", {}),), LEASE_S)
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_a_full_worker_refuses_at_once(self, stand: Stand) -> None:
        tasks = await fill(stand, SEATS + MAX_QUEUE, tokens=40)
        before_s = now()
        refused = await stand.link.send(attempt())
        assert now() - before_s == about(stand, 0.0)
        assert (refused.kind, refused.phase, refused.by) == (Kind.OVERLOAD, "queue", "worker-0")
        assert (refused.status, refused.retry_after_s) == (503, 1.0)
        assert "is full: 2 requests wait" in refused.cause
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def test_a_wrong_request_is_refused(self, stand: Stand) -> None:
        refused = await stand.link.send(attempt(tokens=5000))
        assert (refused.kind, refused.status, refused.by) == (Kind.ERROR, 400, "worker-0")
        assert "max_tokens is 5000, but only 2044 fit" in refused.cause

    @pytest.mark.parametrize("others", [0, 2])
    async def test_a_deadline_runs_out_at_the_worker(self, stand: Stand, others: int) -> None:
        """Seated, after some tokens; or still in the queue."""
        tasks = await fill(stand, others, tokens=400)
        asked = attempt(tokens=400, deadline_s=now() + 0.5)
        started_s = now()
        late = await stand.link.send(asked)
        assert (late.kind, late.phase, late.by) == (Kind.TIMEOUT, "total", "worker-0")
        assert now() - started_s == about(stand, 0.5)
        assert (asked.tokens > 0) is (others == 0)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @pytest.mark.parametrize("kind", FAULTS)
    async def test_every_fault_has_its_effect_and_heals(self, stand: Stand, kind: str) -> None:
        assert kind in EFFECTS, f"{kind} is new: say here what it does to an answer, on every kind of link"
        fault, takes_s = EFFECTS[kind]
        async with fault.install(stand.site):
            if takes_s is None:
                assert (await stand.link.send(attempt())).kind is Kind.ERROR
            else:
                assert await ended_s(stand) == about(stand, takes_s)
        if fault.heals:
            assert await ended_s(stand) == about(stand, HEALTHY_S)
