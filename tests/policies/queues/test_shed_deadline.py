"""What would be late anyway is not begun."""

import asyncio
from math import inf

import pytest

from policies.assembly import assemble
from policies.call import Call, Chunk
from policies.notation import parse
from policies.outcome import OK, Kind, Outcome

WORKERS = ("w0", "w1", "w2", "w3")
TOKENS = 8


class Model:
    """Workers that answer token by token; `slower` stretches all or some."""

    def __init__(self, pipeline, workers=WORKERS):
        self.slower = dict.fromkeys(workers, 1.0)
        self.stretch_tokens = 1.0
        self.sent = 0
        self.bound = assemble(parse(pipeline)).over(workers, self.send)

    async def send(self, attempt):
        self.sent += 1
        clock, slower = asyncio.get_running_loop().time, self.slower[attempt.worker]
        further, each_s = attempt.call.max_tokens - 1, 0.0625 * slower * self.stretch_tokens
        await asyncio.sleep(0.25 * slower)
        if not attempt.call.stream:
            await asyncio.sleep(each_s * further)
            attempt.deliver(Chunk(b"", tokens=1 + further), clock())
            return OK
        attempt.deliver(Chunk(b""), clock())
        for _ in range(further):
            await asyncio.sleep(each_s)
            attempt.deliver(Chunk(b""), clock())
        return OK

    def expects_s(self):
        """Of a call like those that are asked by default."""
        expected = self.bound.pipeline.layers[-1]._state.expected
        return expected.answer_s(10, TOKENS, asyncio.get_running_loop().time())

    def slow(self, factor):
        for worker in self.slower:
            self.slower[worker] = factor

    async def ask(self, patience_s=inf, max_tokens=TOKENS, prompt_tokens=10, stream=True):
        deadline_s = asyncio.get_running_loop().time() + patience_s
        return await self.bound.run(
            Call(
                id="c",
                deadline_s=deadline_s,
                max_tokens=max_tokens,
                prompt_tokens=prompt_tokens,
                stream=stream,
            )
        )

    async def teach(self, calls=24, **call):
        """So many calls, four at a time."""
        for _ in range(calls // 4):
            assert await asyncio.gather(*(self.ask(**call) for _ in range(4))) == [OK] * 4

    async def asked_twice(self, **call):
        """The second of two calls: the first may be the probe."""
        first = asyncio.create_task(self.ask(**call))
        await asyncio.sleep(0)
        second = await self.ask(**call)
        await first
        return second


async def test_a_call_that_would_be_late_is_refused_unsent_with_when_to_come_again():
    model = Model("shed_deadline()")
    await model.teach()
    before = model.sent
    refused = await model.asked_twice(patience_s=0.7)  # 0.25 + 8 * 0.0625 = 0.75
    assert (refused.kind, refused.phase, refused.by) == (Kind.REJECTED, "admission", "shed_deadline")
    assert (refused.status, refused.retry_after_s) == (503, 1.0)
    assert model.sent == before + 1, "the probe alone"


async def test_a_call_that_would_be_in_time_goes():
    model = Model("shed_deadline()")
    await model.teach()
    assert await model.asked_twice(patience_s=0.8) is OK


async def test_long_answers_are_refused_where_short_ones_still_go():
    model = Model("shed_deadline()")
    await model.teach()
    assert (await model.asked_twice(patience_s=1.0, max_tokens=40)).kind is Kind.REJECTED
    assert await model.asked_twice(patience_s=1.0, max_tokens=8) is OK


async def test_slack_lets_a_little_late_through():
    model = Model("shed_deadline(slack=0.1)")
    await model.teach()
    assert await model.asked_twice(patience_s=0.7) is OK
    assert (await model.asked_twice(patience_s=0.6)).kind is Kind.REJECTED


async def test_without_a_deadline_nobody_is_refused():
    model = Model("shed_deadline()")
    model.slow(100)
    await model.teach()
    assert await model.asked_twice() is OK


async def test_nobody_is_refused_before_enough_is_known():
    model = Model("shed_deadline(min_samples=21)")
    await model.teach(20)
    assert await model.asked_twice(patience_s=0.01) is OK
    await asyncio.sleep(1)
    assert (await model.asked_twice(patience_s=0.01)).kind is Kind.REJECTED


async def test_a_prompt_of_a_size_never_seen_goes():
    model = Model("shed_deadline()")
    await model.teach()
    assert await model.asked_twice(patience_s=0.01, prompt_tokens=5000) is OK


async def test_one_call_a_second_goes_through_as_a_probe():
    model = Model("shed_deadline()")
    await model.teach()
    before, asked = model.sent, []
    for _ in range(50):
        asked.append(asyncio.create_task(model.ask(patience_s=0.5)))
        await asyncio.sleep(0.1)
    await asyncio.gather(*asked)
    assert model.sent - before == 5


async def crawl_then_heal(model):
    """Refused while the workers crawl. Returns the time from which they do not."""
    model.slow(4)
    await asyncio.gather(*(model.ask() for _ in range(64)))
    assert (await model.asked_twice(patience_s=2)).kind is Kind.REJECTED
    model.slow(1)
    return asyncio.get_running_loop().time()


async def test_a_wrong_estimate_is_found_out_by_one_probe_to_each_of_most_workers():
    model = Model("shed_deadline()")
    healed_s = await crawl_then_heal(model)
    while (await model.asked_twice(patience_s=2)).kind is Kind.REJECTED:
        await asyncio.sleep(0.1)
    assert asyncio.get_running_loop().time() - healed_s < 6
    assert await asyncio.gather(*(model.ask(patience_s=2) for _ in range(20))) == [OK] * 20


async def test_a_wrong_estimate_dies_out_within_ten_seconds_without_any_probe():
    model = Model("shed_deadline()")
    await crawl_then_heal(model)
    await asyncio.sleep(11)
    assert await model.asked_twice(patience_s=2) is OK


async def test_a_probe_that_is_late_makes_the_next_call_none_the_likelier_to_go():
    model = Model("deadline() | shed_deadline()")
    model.slow(4)
    await asyncio.gather(*(model.ask() for _ in range(64)))
    asked = []
    for _ in range(60):
        asked.append(asyncio.create_task(model.ask(patience_s=2)))
        await asyncio.sleep(0.1)
    kinds = [outcome.kind for outcome in await asyncio.gather(*asked)]
    assert (kinds.count(Kind.TIMEOUT), kinds.count(Kind.REJECTED)) == (6, 54)
    assert model.bound.pipeline.layers[-1]._state.probes == set()


async def test_one_slow_worker_of_four_refuses_nobody():
    model = Model("deadline(total=2) | shed_deadline()")
    model.slower["w0"] = 10
    asked = []
    for _ in range(300):
        asked.append(asyncio.create_task(model.ask()))
        await asyncio.sleep(0.05)
    kinds = [outcome.kind for outcome in await asyncio.gather(*asked)]
    assert kinds.count(Kind.REJECTED) == 0
    assert kinds.count(Kind.TIMEOUT) == 75


async def test_calls_that_ran_into_their_deadline_teach_that_it_takes_longer():
    model = Model("deadline(total=2) | shed_deadline()")
    model.slow(100)
    asked = []
    for _ in range(100):
        asked.append(asyncio.create_task(model.ask()))
        await asyncio.sleep(0.1)
    kinds = [outcome.kind for outcome in await asyncio.gather(*asked)]
    assert kinds[:20] == [Kind.TIMEOUT] * 20
    assert kinds.count(Kind.REJECTED) > 50


async def test_streams_that_crawl_into_their_deadline_teach_that_tokens_take_longer():
    model = Model("deadline(total=2) | shed_deadline()")
    model.stretch_tokens = 16
    asked = []
    for _ in range(100):
        asked.append(asyncio.create_task(model.ask()))
        await asyncio.sleep(0.1)
    kinds = [outcome.kind for outcome in await asyncio.gather(*asked)]
    assert kinds[:20] == [Kind.TIMEOUT] * 20
    assert kinds.count(Kind.REJECTED) > 50


async def test_a_caller_with_a_tiny_deadline_makes_nothing_look_fast():
    model = Model("deadline() | shed_deadline(slack=10)")
    await model.teach()
    for _ in range(60):
        await model.ask(patience_s=0.1)
    await asyncio.sleep(1)
    assert model.expects_s() == 0.75


@pytest.mark.parametrize("kind", [Kind.ERROR, Kind.OVERLOAD, Kind.ABANDONED])
async def test_what_failed_before_a_token_came_teaches_no_latency(kind):
    pipeline = assemble(parse("shed_deadline(min_samples=1)"))

    async def fail(attempt):
        await asyncio.sleep(0.01)
        return Outcome(kind=kind, status=500)

    bound = pipeline.over(WORKERS, fail)
    for _ in range(50):
        await bound.run(Call(id="c"))
    await asyncio.sleep(2)
    state = pipeline.layers[0]._state
    assert state.beside == {}
    if kind is not Kind.ABANDONED:
        assert state.expected.first_s(0, asyncio.get_running_loop().time()) is None


async def test_answers_that_do_not_stream_have_no_tokens_to_learn_from():
    model = Model("shed_deadline()")
    await model.teach(stream=False)
    await asyncio.sleep(1)
    assert model.expects_s() is None
    await model.teach()
    await model.teach(stream=False)
    await asyncio.sleep(1)
    assert model.expects_s() == 0.75
