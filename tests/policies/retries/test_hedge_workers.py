"""What a worker does with an attempt that lost: it hears of it at once, and nobody pays for more."""

import asyncio

import pytest

from faults.engine.slow_steps import SlowSteps
from harness.judging.history import Attempted, History
from harness.serving.gateway import Gateway
from harness.serving.memory_link import MemoryLink
from harness.serving.recorder import Recorder
from harness.serving.worker_state import read_state
from policies.outcome import Kind
from policies.pipeline import Pipeline
from policies.retries.hedge import Hedge
from tests.harness.serving.memory_stand import COSTS, STEP_S, attempt, cost_worker, latency

TOKENS, SEATS, QUEUE = 32, 4, 8


def new_link(name):
    worker = cost_worker(COSTS, SEATS, QUEUE, strides=True)
    worker.name = name
    return MemoryLink(worker)


# the loser went on generating, and nobody saw what it cost
# report 29: sub2api#4408
# report 29: production-stack#867
@pytest.mark.parametrize("stream", [True, False])
async def test_a_hedge_that_lost_is_ended_at_its_worker_and_its_tokens_are_on_the_books(stream):
    history, links = History(), {name: new_link(name) for name in ("worker-0", "worker-1")}
    recorder = Recorder(history)
    recorder.start()
    steps = [asyncio.create_task(link.worker.run()) for link in links.values()]
    links["worker-0"].set_toxics([latency(5000)])
    links["worker-0"].worker.inject(SlowSteps(factor=3), lease_s=60)
    read = []
    call = attempt("r1", tokens=TOKENS, stream=stream).call
    call.sink = lambda chunk: read.append(chunk.tokens)

    gateway = Gateway(Pipeline(layers=(Hedge(delay_s=0.2),)), links, recorder)
    assert (await gateway.handle(call)).answered
    assert sum(read) == TOKENS

    lost, won = (links[name].worker for name in ("worker-0", "worker-1"))
    await asyncio.sleep(2 * STEP_S)
    wasted = read_state(lost, asyncio.get_running_loop().time())
    assert (wasted.aborted, wasted.running, wasted.waiting) == (1, 0, 0)
    await asyncio.sleep(1)
    assert lost.counts.tokens == wasted.tokens, "it went on generating"
    assert won.counts.tokens == TOKENS
    # ended at the first token of the other, or at the end of its whole answer
    assert 0 < wasted.tokens <= (4 if stream else TOKENS / 2)

    ended = {each.worker: (each.kind, each.tokens) for each in history.of(Attempted)}
    assert ended == {"worker-0": (Kind.ABANDONED, 0), "worker-1": (Kind.OK, TOKENS)}
    for step in steps:
        step.cancel()
    await asyncio.wait(steps)
