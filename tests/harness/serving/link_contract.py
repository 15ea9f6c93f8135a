"""What a link is, whichever: the same tests run on the in-memory one and on HTTP through Toxiproxy.

A subclass has a fixture `stand`: one worker of 2 seats, a queue of 2 and steps of `STEP_S`, behind a link.
"""

import asyncio
from itertools import pairwise
from statistics import median
from typing import Protocol

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import LEASE_S, Fault, LinkFault
from faults.link.link_bandwidth import LinkBandwidth
from faults.link.link_black_hole import LinkBlackHole
from faults.link.link_first_byte import LinkFirstByte
from faults.link.link_gap import LinkGap
from faults.link.link_jitter import LinkJitter
from faults.link.link_latency import LinkLatency
from faults.link.link_limit import LinkLimit
from faults.link.link_reset import LinkReset
from faults.link.link_slicer import LinkSlicer
from faults.link.link_slow_accept import LinkSlowAccept
from faults.link.link_slow_close import LinkSlowClose
from faults.link.link_stall import LinkStall
from faults.process.killed import Killed
from faults.registry import FAULTS
from faults.site import Site, Toxic
from harness.deployment import Admin
from harness.errors import EnvironmentFault
from harness.serving.link import Link
from harness.serving.probe import Ended
from policies.call import Attempt
from policies.outcome import Kind, Outcome
from tests.harness.serving.memory_stand import STEP_S, attempt, latency

SEATS = MAX_QUEUE = 2
HEALTHY_S = 8 * STEP_S
PATIENCE_S = 10.0

# Faults with the seconds that an answer of 8 tokens takes under each, between these; None: there is none.
EFFECTS: dict[str, tuple[Fault, tuple[float, float] | None]] = {
    "slow_steps": (SlowSteps(factor=5), (5 * HEALTHY_S, 5 * HEALTHY_S)),
    "killed": (Killed(), None),
    "link_latency": (LinkLatency(latency_s=1), (HEALTHY_S + 1.0, HEALTHY_S + 1.0)),
    "link_jitter": (LinkJitter(jitter_s=0.5), (HEALTHY_S, HEALTHY_S + 1.0)),
    "link_bandwidth": (LinkBandwidth(rate_kb_per_s=1), (1.7, 2.2)),  # about 2 kB
    "link_slicer": (LinkSlicer(slice_bytes=200, gap_s=0.2), (1.8, 3.4)),  # 10 to 16 slices
    "link_gap": (LinkGap(gap_s=0.5), (STEP_S + 1.0, STEP_S + 1.5)),
    "link_first_byte": (LinkFirstByte(delay_s=1), (STEP_S + 1.0, STEP_S + 1.0)),
    "link_slow_accept": (LinkSlowAccept(delay_s=1), (HEALTHY_S + 1.0, HEALTHY_S + 1.0)),
    "link_slow_close": (LinkSlowClose(delay_s=1), (HEALTHY_S, HEALTHY_S)),
    "link_stall": (LinkStall(after_s=0.5), None),
    "link_black_hole": (LinkBlackHole(), None),
    "link_reset": (LinkReset(after_s=0.1), None),
    "link_limit": (LinkLimit(bytes=1000), None),
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

    async def test_healing_lets_go_what_was_held(self, stand: Stand) -> None:
        async with LinkLatency(latency_s=60).install(stand.site):
            tasks = await fill(stand, 3)
            await until(stand, lambda state: state.running + state.waiting == 0)
            before_s = now()
        assert all(outcome.answered for outcome in await asyncio.gather(*tasks))
        assert now() - before_s == about(stand, 0.0)
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_healing_cuts_off_whoever_waits_for_what_was_swallowed(self, stand: Stand) -> None:
        async with LinkBlackHole().install(stand.site):
            tasks = await fill(stand, 3)
            await until(stand, lambda state: state.running + state.waiting == 0)
        outcomes = await asyncio.gather(*tasks)
        assert {(o.kind, o.phase, o.by) for o in outcomes} == {(Kind.ERROR, "stream", "worker-0")}
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_toxics_end_with_their_lease_when_nobody_renews_it(self, stand: Stand) -> None:
        started_s = now()
        await stand.site.set_toxics(LinkLatency(latency_s=60).toxics(), 1.0)
        assert (await stand.link.send(attempt())).answered
        assert now() - started_s == about(stand, 1.0)
        assert await ended_s(stand) == about(stand, HEALTHY_S)

    async def test_a_fault_that_changes_is_changed_in_place(self, stand: Stand) -> None:
        await stand.site.set_toxics(LinkLatency(latency_s=60).toxics(), 60.0)
        started_s, task = now(), begin(stand, attempt())
        await until(stand, tokens_or_more(1))
        await stand.site.set_toxics(LinkLatency(latency_s=1).toxics(), 60.0)
        assert (await task).answered
        assert now() - started_s == about(stand, HEALTHY_S + 1.0)

    # report 26: defilantech/LLMKube#1812
    async def test_a_share_of_connections_hits_a_caller_that_keeps_its_connection_always_or_never(
        self, stand: Stand
    ) -> None:
        async with LinkLatency(latency_s=1, connections_ratio=0.5).install(stand.site):
            late = {await ended_s(stand) > 1 for _ in range(3)}
        assert len(late) == 1

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
        before = await stand.link.probe()
        assert before.ended is Ended.WHOLE
        assert before.first_s == about(stand, 0.0)
        async with LinkLatency(latency_s=1).install(stand.site):
            during = await stand.link.probe()
        assert during.ended is Ended.WHOLE
        assert during.first_s == about(stand, 1.0)

    async def test_a_probe_says_how_its_connection_ended(self, stand: Stand) -> None:
        faults = {
            LinkReset(): Ended.RESET,
            LinkLimit(bytes=500): Ended.CUT,
            LinkStall(after_s=0.2): Ended.CUT,
        }
        for fault, ended in faults.items():
            async with fault.install(stand.site):
                assert (await stand.link.probe()).ended is ended
        assert (await stand.link.probe()).ended is Ended.WHOLE

    async def test_a_probe_of_a_killed_worker_is_not_whole(self, stand: Stand) -> None:
        await stand.site.kill()
        probe = await stand.link.probe()
        assert probe.ended in (Ended.REFUSED, Ended.CUT, Ended.RESET)
        assert probe.first_s is None

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

    @pytest.mark.parametrize("kind", EFFECTS)
    async def test_a_fault_has_its_effect_on_an_answer_and_heals(self, stand: Stand, kind: str) -> None:
        fault, takes_s = EFFECTS[kind]
        async with fault.install(stand.site):
            if takes_s is None:
                assert not await answered_within(stand, 1.0)
            else:
                low_s, high_s = takes_s
                assert low_s - 2e-3 <= await ended_s(stand) <= high_s + stand.slack_s
        if fault.heals:
            assert await ended_s(stand) == about(stand, HEALTHY_S)


def test_every_fault_of_the_link_is_here() -> None:
    assert {kind for kind, fault in FAULTS.items() if issubclass(fault, LinkFault)} <= EFFECTS.keys()


async def answered_within(stand: Stand, limit_s: float) -> bool:
    try:
        async with asyncio.timeout(limit_s):
            return (await stand.link.send(attempt())).answered
    except TimeoutError:
        return False
