"""A serving side without torch: an engine that answers by rule, and a worker that steps on virtual time."""

import asyncio
from collections.abc import Sequence as SequenceOf

from harness.serving.engine import Sequence
from harness.serving.model.byte_tokenizer import ByteTokenizer
from harness.serving.worker import Worker


class FakeEngine:
    """Says a, b, c, ... to everybody. Remembers the batches it was given and what was released."""

    def __init__(self, max_num_seqs: int = 4, max_model_len: int = 64) -> None:
        self.name = "fake"
        self.tokenizer = ByteTokenizer()
        self.max_num_seqs = max_num_seqs
        self.max_model_len = max_model_len
        self.batches: list[int] = []
        self.released: list[int] = []
        self.fails = False

    def step(self, batch: SequenceOf[Sequence]) -> list[int]:
        if self.fails:
            raise RuntimeError("out of device memory")
        self.batches.append(len(batch))
        return [97 + len(sequence.tokens) % 26 for sequence in batch]

    def release(self, slot: int) -> None:
        self.released.append(slot)


def fake_worker(engine: FakeEngine, step_s: float = 0.03, max_queue: int = 8) -> Worker:
    """A worker whose every step takes `step_s` on the loop's clock."""

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        await asyncio.sleep(0)
        return engine.step(batch), 0.0

    return Worker("worker-0", engine, compute, max_queue=max_queue, step_floor_s=step_s)
