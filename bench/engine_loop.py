"""The bare engine loop: steps back to back in a process like a worker's, without anything around them."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from harness.errors import EnvironmentFault, LimplockError
from harness.serving.engine import Sequence
from harness.serving.orphan import die_with_parent
from harness.serving.pool import forkserver_context
from harness.serving.torch_engine import TorchEngine

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What engine and worker are both asked: `batch` answers at once, each followed by the next at once."""

    model: str
    batch: int
    prompt: str
    max_tokens: int
    settle_s: float  # steps before the clock starts
    measure_s: float

    def first_max_tokens(self, number: int) -> int:
        """Lengths of the first answers, spread out so that not all end in the same step ever after."""
        return max(1, self.max_tokens * (number + 1) // self.batch)


class EngineLoop:
    """A process that runs the loop when asked to."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    async def tokens_per_s(self) -> float:
        """Run the loop for `settle_s` and then `measure_s`; the rate of the second."""
        self._pipe.send(None)
        return float(await asyncio.to_thread(self._pipe.recv))


@asynccontextmanager
async def engine_loop(demand: Demand) -> AsyncIterator[EngineLoop]:
    """Start the process; leaving ends it. EnvironmentFault if it does not come up."""
    context = forkserver_context()
    ours, theirs = context.Pipe()
    process = context.Process(target=_main, args=(theirs, demand), name="engine loop", daemon=True)
    process.start()
    theirs.close()
    with ours:  # closed last: the process would complain of a pipe that ends while it runs
        try:
            told = await asyncio.to_thread(_hear, ours)
            if told:
                raise EnvironmentFault(f"the engine loop did not start: {told}")
            yield EngineLoop(ours)
        finally:
            process.kill()
            process.join(STOP_TIMEOUT_S)


def _hear(pipe: Connection) -> str:
    """Empty once it is up, otherwise why it is not."""
    try:
        return str(pipe.recv()) if pipe.poll(START_TIMEOUT_S) else f"not up after {START_TIMEOUT_S:g} s"
    except EOFError:
        return "its process ended"


def _main(pipe: Connection, demand: Demand) -> None:
    die_with_parent()
    try:
        engine = TorchEngine.load(demand.model, device="cpu", max_num_seqs=demand.batch)
    except LimplockError as known:
        pipe.send(str(known))
        return
    pipe.send("")
    while True:
        pipe.recv()
        pipe.send(_run(engine, demand))


def _run(engine: TorchEngine, demand: Demand) -> float:
    """Tokens a second of the loop, once its batch is mixed."""
    ids = engine.tokenizer.encode(demand.prompt)
    batch = [
        Sequence(ids, demand.first_max_tokens(slot), slot=slot, ignore_eos=True)
        for slot in range(demand.batch)
    ]
    _step_for(engine, batch, demand, demand.settle_s)
    began_s = time.perf_counter()
    tokens = _step_for(engine, batch, demand, demand.measure_s)
    rate = tokens / (time.perf_counter() - began_s)
    for sequence in batch:
        engine.release(sequence.slot)
    return rate


def _step_for(engine: TorchEngine, batch: list[Sequence], demand: Demand, seconds: float) -> int:
    ends_s = time.perf_counter() + seconds
    tokens = 0
    while time.perf_counter() < ends_s:
        tokens += len(batch)
        for slot, token in enumerate(engine.step(batch)):
            sequence = batch[slot]
            sequence.tokens.append(token)
            if len(sequence.tokens) >= sequence.max_tokens:
                engine.release(slot)
                batch[slot] = Sequence(sequence.prompt, demand.max_tokens, slot=slot, ignore_eos=True)
    return tokens
