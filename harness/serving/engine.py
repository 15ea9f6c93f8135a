"""The engine contract: what runs one step for a batch.

An engine knows no queue, no clock and no asyncio. The worker calls `step` off the event loop, so that
`/health` answers while the model computes; that is exactly what makes a slow worker look healthy.
"""

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(slots=True, eq=False)
class Sequence:
    """One request inside an engine: a prompt, what it has generated, and the batch slot it holds."""

    prompt: SequenceOf[int]  # token ids, at least one
    max_tokens: int  # upper bound on generated tokens, at least one
    slot: int = -1  # row of the KV cache, 0 <= slot < max_num_seqs while running
    temperature: float = 0.0  # 0 is greedy
    seed: int = 0  # of this sequence's own sampler
    ignore_eos: bool = False
    tokens: list[int] = field(default_factory=list)  # generated so far; the worker appends


class Tokenizer(Protocol):
    """Text to ids and back."""

    eos_ids: frozenset[int]
    vocabulary_size: int

    def encode(self, text: str) -> list[int]: ...
    def decode(self, ids: SequenceOf[int]) -> str: ...
    def chat(self, messages: SequenceOf[dict[str, str]]) -> list[int]:
        """Ids of a conversation (`role` and `content` each) ready for the assistant to answer."""
        ...


class Engine(Protocol):
    """One model on one device. Slots are handed out by the batcher, 0 to `max_num_seqs` - 1."""

    name: str  # the model name that /v1/models shows
    max_num_seqs: int
    max_model_len: int  # prompt and generated tokens together
    tokenizer: Tokenizer

    def step(self, batch: SequenceOf[Sequence]) -> list[int]:
        """Advance every sequence of `batch` by one token and return the new ids, in batch order.

        A sequence without generated tokens is prefilled first. Blocking; called from one thread only.
        """
        ...

    def release(self, slot: int) -> None:
        """The sequence in `slot` has ended or was aborted; its cache may be reused."""
        ...
