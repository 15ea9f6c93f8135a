"""Times the steps of an engine the way a worker does: off the event loop, one at a time.

All cycles take turns within a round, so that a slow minute of the machine hits all of them, and of each kind
of step the quickest counts: the one that other programs disturbed least.
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

from harness.calibration.plan import DECODES, Cycle
from harness.serving.engine import Engine, Sequence

MIN_ROUNDS, MAX_ROUNDS = 2, 12

Compute = Callable[[list[Sequence]], Awaitable[tuple[list[int], float]]]


class Work(NamedTuple):
    """What a step holds, in the terms of the cost model."""

    prefill_tokens: int
    running: int
    kv_tokens: int

    @property
    def kind(self) -> str:
        if not self.running:
            return "prefill"
        return "mixed" if self.prefill_tokens else "decode"


class Timed(NamedTuple):
    """A kind of step and the seconds of its quickest."""

    work: Work
    seconds: float


async def time_rounds(
    engine: Engine, compute: Compute, cycles: SequenceOf[Cycle], limit_s: float
) -> dict[Cycle, list[Timed]]:
    """The steps of each cycle. Rounds go on for `limit_s` seconds, two at the least."""
    best: dict[Cycle, dict[Work, float]] = {cycle: {} for cycle in cycles}
    over_s = time.perf_counter() + limit_s
    for number in range(MAX_ROUNDS):
        if number >= MIN_ROUNDS and time.perf_counter() > over_s:
            break
        for cycle in cycles:
            for work, seconds in await time_cycle(engine, compute, cycle):
                best[cycle][work] = min(seconds, best[cycle].get(work, seconds))
    return {cycle: [Timed(*item) for item in found.items()] for cycle, found in best.items()}


async def time_cycle(engine: Engine, compute: Compute, cycle: Cycle) -> list[Timed]:
    """Each step of one cycle, once. Leaves the engine empty."""
    batch = [_sequence(tokens, slot) for slot, tokens in enumerate(cycle.prompts)]
    try:
        timed = [await _step(compute, batch) for _ in range(1 + DECODES)]
        if cycle.joins:
            batch += [_sequence(tokens, slot) for slot, tokens in enumerate(cycle.joins, len(batch))]
            timed.append(await _step(compute, batch))
    finally:
        for sequence in batch:
            engine.release(sequence.slot)
    return timed


async def _step(compute: Compute, batch: list[Sequence]) -> Timed:
    work = work_of(batch)
    tokens, seconds = await compute(batch)
    for sequence, token in zip(batch, tokens, strict=True):
        sequence.tokens.append(token)
    return Timed(work, seconds)


def work_of(batch: SequenceOf[Sequence]) -> Work:
    """As the cost model counts it before the step."""
    new = sum(len(s.prompt) for s in batch if not s.tokens)
    return Work(new, sum(1 for _ in _running(batch)), sum(_running(batch)))


def _running(batch: SequenceOf[Sequence]) -> Iterator[int]:
    """Tokens in the cache of each sequence that runs already."""
    return (len(s.prompt) + len(s.tokens) for s in batch if s.tokens)


def _sequence(tokens: int, slot: int) -> Sequence:
    """Its ids do not matter to the time; small ones are in every vocabulary."""
    prompt = [1 + position % 64 for position in range(tokens)]
    return Sequence(prompt, max_tokens=DECODES + 2, slot=slot, ignore_eos=True)
