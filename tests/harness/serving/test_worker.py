import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from faults.engine.slow_steps import SlowSteps
from harness.errors import BadInput
from harness.serving.openai_api import CHAT, COMPLETIONS
from harness.serving.worker import Worker
from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from tests.harness.serving.fakes import FakeEngine, fake_worker


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
async def worker(engine: FakeEngine) -> AsyncIterator[Worker]:
    worker = fake_worker(engine)
    steps = asyncio.create_task(worker.run())
    yield worker
    steps.cancel()
    await asyncio.wait([steps])


class Asked:
    """A call with its pieces and when they came."""

    def __init__(self, route: str = COMPLETIONS, deadline_s: float = float("inf"), **body: object) -> None:
        body = {"max_tokens": 4, "stream": True} | body
        if route == COMPLETIONS:
            body.setdefault("prompt", "hi")
        else:
            body.setdefault("messages", [{"role": "user", "content": "hi"}])
        self.pieces: list[dict] = []
        self.times_s: list[float] = []
        self.call = Call(
            id="r1",
            route=route,
            payload=json.dumps(body).encode(),
            stream=bool(body["stream"]),
            deadline_s=deadline_s,
            sink=self._take,
        )

    def _take(self, chunk: Chunk) -> None:
        self.pieces.append(json.loads(chunk.data))
        if chunk.tokens:
            self.times_s.append(asyncio.get_running_loop().time())

    @property
    def text(self) -> str:
        return "".join(c.get("text", "") for piece in self.pieces for c in piece["choices"])


async def test_a_stream_has_one_piece_per_token_a_finish_and_the_usage_that_was_asked_for(
    worker: Worker,
) -> None:
    asked = Asked(stream_options={"include_usage": True})
    assert (await worker.handle(asked.call)).kind is Kind.OK
    assert asked.text == "abcd"
    assert asked.pieces[-2]["choices"][0]["finish_reason"] == "length"
    assert asked.pieces[-1]["choices"] == []
    assert asked.pieces[-1]["usage"]["completion_tokens"] == 4
    assert asked.pieces[-1]["usage"]["prompt_tokens"] == 2


async def test_tokens_come_one_step_apart(worker: Worker) -> None:
    asked = Asked()
    await worker.handle(asked.call)
    gaps = [b - a for a, b in pairwise(asked.times_s)]
    assert gaps == pytest.approx([0.03] * 3)


async def test_a_chat_stream_opens_with_the_role(worker: Worker) -> None:
    asked = Asked(route=CHAT)
    await worker.handle(asked.call)
    assert asked.pieces[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert asked.pieces[0]["object"] == "chat.completion.chunk"


async def test_a_whole_answer_is_one_body_with_usage(worker: Worker) -> None:
    asked = Asked(stream=False)
    await worker.handle(asked.call)
    (body,) = asked.pieces
    assert body["choices"][0]["text"] == "abcd"
    assert body["usage"]["total_tokens"] == 6


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"prompt": ""}, 400, "'prompt' is required"),
        ({"max_tokens": 0}, 400, "'max_tokens' must be at least 1"),
        ({"max_tokens": 100}, 400, "only 62 fit"),
        ({"prompt": "x" * 64}, 400, "takes fewer than 64"),
        ({"prompt": [1, 999]}, 400, "outside 0 to 256"),
        ({"prompt": [-1]}, 400, "outside 0 to 256"),
        ({"prompt": 7}, 400, "bad request body"),
        ({"temperature": 3}, 400, "'temperature' must be 0 to 2"),
        ({"n": 2}, 400, "'n' must be 1"),
        ({"model": "gpt-9"}, 404, "'fake' is"),
    ],
)
async def test_a_wrong_request_is_refused_before_any_model_work(
    worker: Worker, engine: FakeEngine, body: dict, status: int, says: str
) -> None:
    outcome = await worker.handle(Asked(**body).call)
    assert (outcome.kind, outcome.status) == (Kind.ERROR, status)
    assert says in outcome.cause
    assert engine.batches == []


async def test_messages_that_the_model_cannot_take_are_a_wrong_request(
    worker: Worker, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untold(messages: object) -> list[int]:
        raise BadInput("this model has no chat template")

    monkeypatch.setattr(engine.tokenizer, "chat", untold)
    outcome = await worker.handle(Asked(route=CHAT).call)
    assert (outcome.kind, outcome.status, outcome.cause) == (
        Kind.ERROR,
        400,
        "this model has no chat template",
    )


async def test_a_seed_makes_the_same_draws_and_without_one_each_request_has_its_own(
    worker: Worker, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    step = engine.step
    monkeypatch.setattr(engine, "step", lambda batch: [seeds.append(batch[0].seed), step(batch)][1])
    for name, body in (("a", {"seed": 7}), ("b", {"seed": 7}), ("a", {}), ("b", {}), ("a", {})):
        asked = Asked(max_tokens=1, **body)
        asked.call.id = name
        await worker.handle(asked.call)
    first, second, third, fourth, fifth = seeds
    assert (first, second) == (7, 7)
    assert third == fifth != fourth


async def test_unknown_fields_are_ignored(worker: Worker) -> None:
    assert (await worker.handle(Asked(logit_bias={}, frequency_penalty=1).call)).answered


async def test_requests_share_steps(worker: Worker, engine: FakeEngine) -> None:
    await asyncio.gather(*(worker.handle(Asked().call) for _ in range(4)))
    assert max(engine.batches) == 4
    assert worker.counts.steps == len(engine.batches) <= 6


async def test_a_full_queue_refuses_at_once_with_retry_after(worker: Worker) -> None:
    asked = [asyncio.create_task(worker.handle(Asked().call)) for _ in range(12)]
    await asyncio.sleep(0)
    before = asyncio.get_running_loop().time()
    outcome = await worker.handle(Asked().call)
    assert (outcome.kind, outcome.status) == (Kind.OVERLOAD, 503)
    assert outcome.retry_after_s is not None
    assert asyncio.get_running_loop().time() == before
    assert all(o.answered for o in await asyncio.gather(*asked))


async def leave_after(worker: Worker, seconds: float) -> None:
    task = asyncio.create_task(worker.handle(Asked(max_tokens=40).call))
    await asyncio.sleep(seconds)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.03, 0.2])
async def test_when_the_caller_leaves_its_slot_is_free_within_a_step(
    worker: Worker, engine: FakeEngine, seconds: float
) -> None:
    await leave_after(worker, seconds)
    await asyncio.sleep(0.07)
    assert repr(worker.batcher) == "<Batcher 0/4 running, 0 waiting>"
    assert worker.counts.aborted == 1
    assert sum(engine.batches) <= seconds / 0.03 + 2


async def test_slots_left_by_many_callers_are_all_used_again(worker: Worker) -> None:
    await asyncio.gather(*(leave_after(worker, 0.05 + i / 100) for i in range(10)))
    outcomes = await asyncio.gather(*(worker.handle(Asked().call) for _ in range(4)))
    assert all(outcome.answered for outcome in outcomes)


async def test_work_that_is_late_already_is_dropped_from_the_queue_not_computed(
    worker: Worker, engine: FakeEngine
) -> None:
    busy = [asyncio.create_task(worker.handle(Asked(max_tokens=20).call)) for _ in range(4)]
    await asyncio.sleep(0.05)
    outcome = await worker.handle(Asked(deadline_s=0.2).call)
    assert (outcome.kind, outcome.phase) == (Kind.TIMEOUT, "total")
    assert asyncio.get_running_loop().time() < 0.25
    await asyncio.gather(*busy)
    assert max(engine.batches) == 4
    assert sum(engine.batches) == 80


async def test_an_engine_that_fails_leaves_nobody_waiting_and_the_worker_alive(
    worker: Worker, engine: FakeEngine
) -> None:
    engine.fails = True
    outcomes: list[Outcome] = await asyncio.gather(*(worker.handle(Asked().call) for _ in range(3)))
    assert {(o.kind, o.status) for o in outcomes} == {(Kind.ERROR, 500)}
    assert "out of device memory" in outcomes[0].cause
    engine.fails = False
    assert (await worker.handle(Asked().call)).answered


async def test_slow_steps_stretch_every_step_and_hold_the_slots(worker: Worker) -> None:
    async def seconds_for_one() -> float:
        started = asyncio.get_running_loop().time()
        await worker.handle(Asked().call)
        return asyncio.get_running_loop().time() - started

    healthy_s = await seconds_for_one()
    worker.inject(SlowSteps(factor=10), lease_s=60)
    slow = asyncio.create_task(seconds_for_one())
    await asyncio.sleep(0.5)
    assert len(worker.batcher.running) == 1
    assert await slow == pytest.approx(10 * healthy_s, rel=0.01)


async def test_a_healed_worker_is_as_quick_as_ever_whatever_the_fault_had_begun(worker: Worker) -> None:
    worker.inject(SlowSteps(factor=10_000), lease_s=60)
    caught = asyncio.create_task(worker.handle(Asked().call))
    await asyncio.sleep(5)
    worker.pace.heal()
    assert (await caught).answered
    assert asyncio.get_running_loop().time() == pytest.approx(5 + 3 * 0.03)


async def test_the_share_of_the_cache_in_use_counts_prompt_and_answer(worker: Worker) -> None:
    task = asyncio.create_task(worker.handle(Asked(max_tokens=10).call))
    await asyncio.sleep(0.1)
    assert worker.shown.read(0.0).kv_usage_ratio == pytest.approx((2 + 3) / (4 * 64))
    await task
    assert worker.shown.read(0.0).kv_usage_ratio == 0
