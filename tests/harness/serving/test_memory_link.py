"""The in-memory link by itself: what toxics do on it, and what the worker says through it."""

import asyncio
from itertools import pairwise

import pytest

from faults.site import Toxic
from faults.toxiproxy.toxics import TOXICS
from harness.serving.link import LOAD_TIMEOUT_S, PROBE_TIMEOUT_S
from harness.serving.memory_link import PIECE_BYTES, REQUEST_BYTES
from policies.outcome import Kind, Outcome
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, latency, memory_stand

WAYS = ("to_worker", "to_caller")
ANSWER_S = 8 * STEP_S


def now() -> float:
    return asyncio.get_running_loop().time()


def send(stand: MemoryStand, *args: object, **fields: object) -> "asyncio.Task[Outcome]":
    return asyncio.create_task(stand.link.send(attempt(*args, **fields)))


async def ended_s(stand: MemoryStand, tokens: int = 8) -> float:
    """Seconds that an attempt takes to its end."""
    started_s = now()
    assert (await stand.link.send(attempt(tokens=tokens))).answered
    return now() - started_s


async def test_without_toxics_an_answer_takes_its_steps_and_the_hop() -> None:
    async with memory_stand(link_s=0.004) as stand:
        assert await ended_s(stand) == pytest.approx(0.004 + ANSWER_S)
        assert await stand.at_rest()


@pytest.mark.parametrize("strides", [True, False])
async def test_tokens_and_their_times_are_there_whenever_somebody_asks(*, strides: bool) -> None:
    async with memory_stand(strides=strides) as stand:
        asked = attempt(tokens=10)
        task = asyncio.create_task(stand.link.send(asked))
        await asyncio.sleep(4.5 * STEP_S)
        assert asked.tokens == len(asked.token_times_s) == 4
        await task
        assert asked.token_times_s == pytest.approx([STEP_S * n for n in range(1, 11)])
        assert asked.first_token_s == pytest.approx(STEP_S)


async def test_an_answer_that_does_not_stream_comes_as_one_piece() -> None:
    async with memory_stand() as stand:
        asked = attempt(stream=False)
        assert (await stand.link.send(asked)).answered
        assert (asked.tokens, asked.token_times_s) == (8, [pytest.approx(ANSWER_S)])


# What each toxic does to the end of an answer of 8 tokens, by the way it works on.
EFFECTS = {
    ("latency", "to_worker"): ({"latency": 500}, ANSWER_S + 0.5),
    ("latency", "to_caller"): ({"latency": 500}, ANSWER_S + 0.5),
    ("bandwidth", "to_worker"): ({"rate": 1}, ANSWER_S + REQUEST_BYTES / 1000),
    ("bandwidth", "to_caller"): ({"rate": 1}, STEP_S + 9 * 0.17),  # 8 pieces and the ending, 170 bytes each
    ("timeout", "to_worker"): ({"timeout": 700}, 0.7),
    ("timeout", "to_caller"): ({"timeout": 700}, None),
    ("slicer", "to_worker"): ({"average_size": 100, "delay": 100_000}, ANSWER_S + 3 * 0.1),  # in 4 slices
    ("slicer", "to_caller"): ({"average_size": 100, "delay": 1_000}, ANSWER_S + 3 * 0.001),  # 2 pieces in 2
    ("limit_data", "to_worker"): ({"bytes": REQUEST_BYTES - 1}, 0.0),
    ("limit_data", "to_caller"): ({"bytes": 3 * PIECE_BYTES}, 3 * STEP_S),
    ("reset_peer", "to_worker"): ({"timeout": 300}, 0.3),
    ("reset_peer", "to_caller"): ({"timeout": 300}, STEP_S + 0.3),
    ("slow_close", "to_worker"): (
        {"delay": 300},
        ANSWER_S,
    ),  # an answer is complete before its connection ends
    ("slow_close", "to_caller"): ({"delay": 300}, ANSWER_S),
    ("noop", "to_worker"): ({}, ANSWER_S),
    ("noop", "to_caller"): ({}, ANSWER_S),
}
BREAKING = {"timeout": "broke", "limit_data": "broke", "reset_peer": "was reset"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TOXICS)
async def test_every_toxic_works_in_both_directions(kind: str, way: str) -> None:
    attributes, takes_s = EFFECTS[kind, way]
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic(kind, way, attributes)])
        outcome = await stand.link.send(attempt())
        if kind in BREAKING:
            assert (outcome.kind, outcome.phase, outcome.by) == (Kind.ERROR, "stream", "worker-0")
            assert outcome.cause == f"the connection to worker-0 {BREAKING[kind]}"
        else:
            assert outcome.answered
        # A black hole behind the worker hears the last piece and the ending at the end of the answer.
        assert now() == pytest.approx(ANSWER_S + 0.7 if takes_s is None else takes_s)
        assert await stand.at_rest()


async def test_latency_moves_the_first_token_and_leaves_the_gaps() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(2000)])
        asked = attempt()
        await stand.link.send(asked)
        assert asked.first_token_s == pytest.approx(STEP_S + 2.0)
        assert [b - a for a, b in pairwise(asked.token_times_s)] == pytest.approx([STEP_S] * 7)


async def test_pieces_keep_their_order_under_jitter_and_the_seed_repeats_it() -> None:
    async def token_times_s(seed: int) -> list[float]:
        async with memory_stand(seed=seed) as stand:
            stand.link.set_toxics([latency(300, jitter=290)])
            started_s, asked = now(), attempt(tokens=50)
            await stand.link.send(asked)
            assert asked.token_times_s == sorted(asked.token_times_s)
            assert asked.tokens == 50
            return [at_s - started_s for at_s in asked.token_times_s]

    first, again, other = [await token_times_s(seed) for seed in (1, 1, 2)]
    assert first == pytest.approx(again, abs=1e-9)
    assert first != pytest.approx(other, abs=1e-9)


async def test_a_toxic_works_on_an_answer_that_is_under_way() -> None:
    async with memory_stand() as stand:
        asked = attempt(tokens=10)
        task = asyncio.create_task(stand.link.send(asked))
        await asyncio.sleep(4.5 * STEP_S)
        stand.link.set_toxics([latency(1000)])
        assert (await task).answered
        early = [STEP_S * n for n in range(1, 5)]
        late = [STEP_S * n + 1 for n in range(5, 11)]
        assert asked.token_times_s == pytest.approx(early + late)


async def test_a_second_toxic_loses_nothing_of_what_the_first_one_holds() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(1000)])
        asked = attempt(tokens=4)
        task = asyncio.create_task(stand.link.send(asked))
        await asyncio.sleep(0.5)
        stand.link.set_toxics([latency(1000), latency(2000), latency(500, "to_worker")])
        assert (await task).answered
        assert asked.tokens == 4
        assert asked.first_token_s == pytest.approx(STEP_S + 3.0)


async def test_without_its_toxics_the_link_is_as_before_and_whoever_waited_was_cut_off() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000)])
        waiting = [send(stand, f"w{n}") for n in range(3)]
        await asyncio.sleep(1)
        stand.link.remove_toxics()
        outcomes = await asyncio.gather(*waiting)
        assert {(o.kind, o.phase) for o in outcomes} == {(Kind.ERROR, "stream")}
        assert now() == 1.0
        assert await stand.at_rest()
        assert await ended_s(stand) == pytest.approx(ANSWER_S)


async def test_what_is_no_toxic_is_refused_and_changes_nothing() -> None:
    async with memory_stand() as stand:
        with pytest.raises(ValueError, match="gremlin: expected one of bandwidth"):
            stand.link.set_toxics([latency(1000), Toxic("gremlin", "to_caller", {})])
        with pytest.raises(ValueError, match="latency"):
            stand.link.set_toxics([latency(-1)])
        assert await ended_s(stand) == pytest.approx(ANSWER_S)


async def test_the_slot_is_free_while_the_answer_is_still_under_way() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(3000)])
        task = send(stand)
        await asyncio.sleep(ANSWER_S + STEP_S)
        assert (stand.worker.batcher.running, task.done()) == ([], False)
        assert (await task).answered


async def test_a_probe_costs_the_worker_nothing_and_takes_what_the_link_takes() -> None:
    async with memory_stand(link_s=0.002) as stand:
        await stand.link.probe()
        assert now() == pytest.approx(0.002)
        stand.link.set_toxics([latency(300), latency(200, "to_worker")])
        before_s = now()
        await stand.link.probe()
        assert now() - before_s == pytest.approx(0.502)
        assert stand.worker.counts.steps == 0
        assert await stand.at_rest()


async def test_a_probe_that_is_cut_off_or_finds_nobody_is_a_connection_error() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(9000)])
        probe = asyncio.create_task(stand.link.probe())
        await asyncio.sleep(1)
        stand.link.remove_toxics()
        with pytest.raises(ConnectionError, match="worker-0"):
            await probe
        await stand.site.kill()
        with pytest.raises(ConnectionError, match="worker-0"):
            await stand.link.probe()
        assert stand.link._open == {}


@pytest.mark.parametrize("way", WAYS)
async def test_a_probe_into_a_black_hole_gives_up_and_leaves_nothing_behind(way: str) -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("timeout", way, {"timeout": 0})])
        with pytest.raises(ConnectionError, match="no answer through the link to worker-0 in 60 s"):
            await stand.link.probe()
        assert now() == PROBE_TIMEOUT_S
        assert await stand.at_rest()


@pytest.mark.parametrize("way", WAYS)
async def test_a_load_from_a_black_hole_is_none_after_a_while_and_leaves_nothing_behind(way: str) -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("timeout", way, {"timeout": 0})])
        assert await stand.link.load() is None
        assert now() == LOAD_TIMEOUT_S
        assert await stand.at_rest()


async def test_a_load_that_is_cut_off_is_none() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(4000)])
        load = asyncio.create_task(stand.link.load())
        await asyncio.sleep(1)
        stand.link.remove_toxics()
        assert await load is None
        assert now() == 1.0


async def test_a_load_costs_the_worker_no_step_and_ends_no_stride() -> None:
    async with memory_stand() as stand:
        asked = attempt(tokens=20)
        task = asyncio.create_task(stand.link.send(asked))
        await asyncio.sleep(4.5 * STEP_S)
        stride = stand.worker._strides.present
        assert stride is not None
        assert (await stand.link.load()).in_flight == 1
        assert stand.worker._strides.present is stride
        await task
        assert stand.worker.counts.steps == 20


async def test_a_worker_that_refuses_is_heard_through_the_link_and_its_toxics() -> None:
    async with memory_stand(seats=1, max_queue=1) as stand:
        held = [send(stand, f"h{n}") for n in range(2)]
        await asyncio.sleep(0.01)
        stand.link.set_toxics([latency(500), latency(10, "to_worker")])
        before_s = now()
        refused = await stand.link.send(attempt())
        assert (refused.kind, refused.status, refused.retry_after_s) == (Kind.OVERLOAD, 503, 1.0)
        assert now() - before_s == pytest.approx(0.51)
        assert all(outcome.answered for outcome in await asyncio.gather(*held))
        assert await stand.at_rest()


@pytest.mark.parametrize(("prompt", "tokens"), [(0, 4), (2048, 1), (2000, 49)])
async def test_a_wrong_request_is_refused_before_any_step(prompt: int, tokens: int) -> None:
    async with memory_stand() as stand:
        asked = attempt(tokens=tokens)
        asked.call.prompt_tokens = prompt
        outcome = await stand.link.send(asked)
        assert (outcome.kind, outcome.status) == (Kind.ERROR, 400)
        assert stand.worker.counts.steps == 0


async def test_a_deadline_that_runs_out_at_the_worker_frees_its_seat() -> None:
    async with memory_stand() as stand:
        asked = attempt(tokens=100, deadline_s=0.5)
        outcome = await stand.link.send(asked)
        assert (outcome.kind, outcome.phase, outcome.by) == (Kind.TIMEOUT, "total", "worker-0")
        assert asked.tokens == 17  # the step that began before 0.5 s still ends
        assert await stand.at_rest()
