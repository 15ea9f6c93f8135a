"""The in-memory link by itself: what toxics do on it, and what the worker says through it."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from faults.site import Toxic
from faults.toxiproxy.toxics import TOXICS
from harness.serving.link import LOAD_TIMEOUT_S
from harness.serving.memory_attempt import HEAD_BYTES, LAST_BYTES, PIECE_BYTES, REQUEST_BYTES
from harness.serving.memory_link import KEEP_ALIVE_S
from harness.serving.memory_probe import PROBE_HEAD_BYTES
from harness.serving.probe import BODY_BYTES, PROBE_TIMEOUT_S, Ended
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


ASKED_BYTES = REQUEST_BYTES + 4  # with its prompt
ANSWER_BYTES = HEAD_BYTES + 8 * PIECE_BYTES + LAST_BYTES

# What each toxic does to the end of an answer of 8 tokens, by the way it works on.
EFFECTS = {
    ("latency", "to_worker"): ({"latency": 500}, ANSWER_S + 0.5),
    ("latency", "to_caller"): ({"latency": 500}, ANSWER_S + 0.5),
    ("message_latency", "to_worker"): ({"latency": 500}, ANSWER_S + 0.5),
    ("message_latency", "to_caller"): ({"latency": 500}, ANSWER_S + 0.5),
    ("first_byte", "to_worker"): ({"delay": 500}, ANSWER_S + 0.5),
    ("first_byte", "to_caller"): ({"delay": 500}, STEP_S + 0.5),  # all the rest has come meanwhile
    ("slow_accept", "to_worker"): ({"delay": 500}, ANSWER_S + 0.5),
    ("slow_accept", "to_caller"): ({"delay": 500}, 0.5),
    ("bandwidth", "to_worker"): ({"rate": 1}, ANSWER_S + ASKED_BYTES / 1000),
    ("bandwidth", "to_caller"): ({"rate": 1}, STEP_S + ANSWER_BYTES / 1000),
    ("shared_bandwidth", "to_worker"): ({"rate": 1}, ANSWER_S + ASKED_BYTES / 1000),
    ("shared_bandwidth", "to_caller"): ({"rate": 1}, STEP_S + ANSWER_BYTES / 1000),
    ("timeout", "to_worker"): ({"timeout": 700}, 0.7),
    ("timeout", "to_caller"): ({"timeout": 700}, None),
    ("cut", "to_worker"): ({"after": 200}, 0.2),
    ("cut", "to_caller"): ({"after": 200}, 0.2),
    ("slicer", "to_worker"): ({"average_size": 100, "delay": 100_000}, ANSWER_S + 7 * 0.1),  # in 8 slices
    ("slicer", "to_caller"): ({"average_size": 100, "delay": 1_000}, ANSWER_S + 5 * 0.001),  # 2 and 4
    ("limit_data", "to_worker"): ({"bytes": ASKED_BYTES - 1}, 0.0),
    ("limit_data", "to_caller"): ({"bytes": HEAD_BYTES + 3 * PIECE_BYTES}, 3 * STEP_S),
    ("reset_peer", "to_worker"): ({"timeout": 300}, 0.3),
    ("reset_peer", "to_caller"): ({"timeout": 300}, STEP_S + 0.3),
    ("slow_close", "to_worker"): ({"delay": 300}, ANSWER_S),  # an answer is whole before its connection ends
    ("slow_close", "to_caller"): ({"delay": 300}, ANSWER_S),
    ("noop", "to_worker"): ({}, ANSWER_S),
    ("noop", "to_caller"): ({}, ANSWER_S),
}
BREAKING = {"timeout": "broke", "cut": "broke", "limit_data": "broke", "reset_peer": "was reset"}


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


async def test_without_its_toxics_the_link_is_as_before_and_what_they_held_goes_on_at_once() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000)])
        waiting = [send(stand, f"w{n}") for n in range(3)]
        await asyncio.sleep(1)
        stand.link.remove_toxics()
        assert all(outcome.answered for outcome in await asyncio.gather(*waiting))
        assert now() == 1.0
        assert await stand.at_rest()
        assert await ended_s(stand) == pytest.approx(ANSWER_S)


async def test_whoever_waits_for_what_was_swallowed_is_cut_off_when_it_ends() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("timeout", "to_caller", {"timeout": 0})])
        waiting = [send(stand, f"w{n}") for n in range(3)]
        await asyncio.sleep(1)
        stand.link.remove_toxics()
        outcomes = await asyncio.gather(*waiting)
        assert {(o.kind, o.phase) for o in outcomes} == {(Kind.ERROR, "stream")}
        assert now() == 1.0
        assert await stand.at_rest()
        assert await ended_s(stand) == pytest.approx(ANSWER_S)


async def test_toxics_end_with_their_lease_when_nobody_renews_it() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000)], lease_s=1.0)
        await asyncio.sleep(0.9)
        stand.link.set_toxics([latency(5000)], lease_s=1.0)
        assert await ended_s(stand) == pytest.approx(1.0)  # then what was held went on
        assert await ended_s(stand) == pytest.approx(ANSWER_S)


async def test_what_stays_is_changed_in_place_and_cuts_nobody_off() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000)])
        task = send(stand)
        await asyncio.sleep(1)
        stand.link.set_toxics([latency(2000)])
        assert (await task).answered
        assert now() == pytest.approx(ANSWER_S + 2.0)


# report 26: defilantech/LLMKube#1812
async def test_a_toxic_with_a_share_hits_whole_connections_so_a_caller_that_keeps_one_keeps_its_lot() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([replace(latency(1000), toxicity=0.5)])
        alone_s = [await ended_s(stand) for _ in range(20)]
        assert len({round(took_s, 6) for took_s in alone_s}) == 1  # one connection, taken again and again
    async with memory_stand(seats=64, max_queue=64) as stand:
        stand.link.set_toxics([replace(latency(1000), toxicity=0.5)])
        tasks = [asyncio.create_task(ended_s(stand)) for _ in range(60)]
        late = sum(took_s > 1 for took_s in await asyncio.gather(*tasks))
        assert 15 < late < 45  # a connection each
        again = [asyncio.create_task(ended_s(stand)) for _ in range(60)]
        assert sum(took_s > 1 for took_s in await asyncio.gather(*again)) == late


async def test_a_new_connection_is_made_when_none_is_free_or_fresh() -> None:
    async with memory_stand(seats=8) as stand:
        await asyncio.gather(*[ended_s(stand) for _ in range(3)])
        await asyncio.gather(*[ended_s(stand) for _ in range(2)])
        assert len(stand.link.connections) == 3
        await asyncio.sleep(KEEP_ALIVE_S + 1)
        await ended_s(stand)
        assert len(stand.link.connections) == 1


async def test_a_limit_counts_all_that_a_connection_carries() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("limit_data", "to_caller", {"bytes": int(2.5 * ANSWER_BYTES)})])
        kinds = [(await stand.link.send(attempt())).kind for _ in range(6)]
        assert kinds == [Kind.OK, Kind.OK, Kind.ERROR] * 2


async def test_what_a_toxic_does_not_read_gathers_as_in_a_socket() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("slicer", "to_caller", {"average_size": 2**20, "delay": 300_000})])
        asked = attempt(tokens=30)
        started_s = now()
        assert (await stand.link.send(asked)).answered
        bursts = {round(at_s - started_s, 3) for at_s in asked.token_times_s}
        assert bursts == {0.03, 0.33, 0.63, 0.93, 1.23}


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
        assert (await stand.link.probe()).first_s == pytest.approx(0.002)
        stand.link.set_toxics([latency(300), latency(200, "to_worker")])
        probe = await stand.link.probe()
        assert (probe.ended, probe.first_s) == (Ended.WHOLE, pytest.approx(0.502))
        assert probe.received_bytes == PROBE_HEAD_BYTES + BODY_BYTES
        assert stand.worker.counts.steps == 0
        assert await stand.at_rest()


async def test_a_probe_says_that_it_was_cut_off_or_found_nobody() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(9000)])
        probe = asyncio.create_task(stand.link.probe())
        await asyncio.sleep(1)
        stand.link.cut()
        assert ((await probe).ended, (await probe).ended_s) == (Ended.CUT, 1.0)
        await stand.site.kill()
        assert (await stand.link.probe()).ended is Ended.REFUSED
        assert stand.link.busy() == []


@pytest.mark.parametrize("way", WAYS)
async def test_a_probe_into_a_black_hole_gives_up_and_leaves_nothing_behind(way: str) -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("timeout", way, {"timeout": 0})])
        assert (await stand.link.probe()).ended is Ended.SILENT
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
        stand.link.cut()
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
