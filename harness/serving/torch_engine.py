"""The real engine: a torch model, one pass a step for every sequence of the batch."""

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from harness.serving.engine import Sequence, Tokenizer
from harness.serving.model.attention import StepAttention, length_mask
from harness.serving.model.decoder import Decoder
from harness.serving.model.device import pick_device
from harness.serving.model.kv_cache import KvCache
from harness.serving.model.load import LoadedModel, load_model
from harness.serving.model.rows import Rows
from harness.serving.model.sampler import choose

DEFAULT_MODEL_LEN = 2048  # tokens; the cap where a model was trained for longer contexts


class TorchEngine:
    """Implements `Engine`. Called from one thread at a time."""

    @classmethod
    def load(
        cls, model: str, device: str = "auto", max_num_seqs: int = 8, max_model_len: int | None = None
    ) -> "TorchEngine":
        """Engine for `tiny`, `smollm2` or a checkpoint folder on `auto`, `cpu`, `cuda` or `cuda:N`.

        Sets torch to one thread on a CPU, for the whole process: workers that share cores collapse with more.
        Raises BadInput or EnvironmentFault.
        """
        place = pick_device(device)
        if place == "cpu":
            torch.set_num_threads(1)
        return cls(load_model(model, place), max_num_seqs, max_model_len)

    def __init__(self, model: LoadedModel, max_num_seqs: int, max_model_len: int | None = None) -> None:
        trained = model.config.max_positions
        self.name = model.name
        self.device = str(model.weights.embedding.device)
        self.tokenizer: Tokenizer = model.tokenizer
        self.max_num_seqs = max_num_seqs
        self.max_model_len = min(max_model_len or DEFAULT_MODEL_LEN, trained)
        self._decoder = Decoder(model.config, model.weights, self.max_model_len)
        self._cache = KvCache(model.config, max_num_seqs, self.max_model_len, model.weights.embedding)
        self._rows = Rows(max_num_seqs)
        self._cached: dict[int, int] = {}  # slot: tokens of it in the cache

    @torch.inference_mode()
    def step(self, batch: SequenceOf[Sequence]) -> list[int]:
        """Advance every sequence of `batch` by one token and return the new ids, in batch order.

        Raises ValueError, with nothing changed, if a sequence does not fit the model or its slot's history.
        """
        if not batch:
            return []
        self._check(batch)
        running, new = self._seat(batch)
        layout = self._lay_out(running, new)
        states = self._decoder.states(layout.ids, layout.positions, layout.attention)
        logits = self._decoder.logits(states if layout.ends is None else states[layout.ends])
        order = [*running, *new]
        ids = {s.slot: token for s, token in zip(order, choose(logits, order), strict=True)}
        self._cached.update({s.slot: len(s.prompt) + len(s.tokens) for s in order})
        return [ids[sequence.slot] for sequence in batch]

    def release(self, slot: int) -> None:
        """The sequence in `slot` has ended or was aborted; its cache may be reused."""
        self._rows.release(slot)
        self._cached.pop(slot, None)

    def _check(self, batch: SequenceOf[Sequence]) -> None:
        if len({sequence.slot for sequence in batch}) < len(batch):
            raise ValueError(f"two sequences share a slot: {[sequence.slot for sequence in batch]}")
        for sequence in batch:
            self._check_one(sequence)

    def _check_one(self, sequence: Sequence) -> None:
        slot, length = sequence.slot, len(sequence.prompt) + len(sequence.tokens)
        if not 0 <= slot < self.max_num_seqs:
            raise ValueError(f"slot {slot} is not between 0 and {self.max_num_seqs - 1}")
        if not sequence.prompt:
            raise ValueError(f"slot {slot}: the prompt is empty; it needs at least one token")
        if length > self.max_model_len:
            raise ValueError(f"slot {slot}: {length} tokens, the model takes {self.max_model_len}")
        if sequence.tokens and self._cached.get(slot) != length - 1:
            cached = self._cached.get(slot, 0)
            raise ValueError(f"slot {slot} caches {cached} tokens, the sequence expects {length - 1}")
        vocabulary = self._decoder.config.vocab_size
        if not sequence.tokens and not 0 <= min(sequence.prompt) <= max(sequence.prompt) < vocabulary:
            raise ValueError(f"slot {slot}: the prompt has an id outside 0 to {vocabulary - 1}")

    def _seat(self, batch: SequenceOf[Sequence]) -> tuple[list[Sequence], list[Sequence]]:
        """(running, new) sequences; the running ones, in this order, hold the first rows of the cache."""
        running = [sequence for sequence in batch if sequence.tokens]
        new = [sequence for sequence in batch if not sequence.tokens]
        for sequence in new:
            self.release(sequence.slot)
        for relocation in self._rows.gather([sequence.slot for sequence in running]):
            copy = self._cache.swap if relocation.exchange else self._cache.move
            copy(relocation.source, relocation.target, max(self._cached.values()))
        for sequence in new:
            self._rows.take(sequence.slot)
        running.sort(key=lambda sequence: self._rows.row_of(sequence.slot))
        return running, new

    def _lay_out(self, running: list[Sequence], new: list[Sequence]) -> "_Layout":
        """One token for each running sequence, then the prompts, as the rows of one matrix."""
        lasts = [len(s.prompt) + len(s.tokens) - 1 for s in running]
        spans = [len(s.prompt) for s in new]
        ids = [s.tokens[-1] for s in running] + [token for s in new for token in s.prompt]
        positions = lasts + [position for span in spans for position in range(span)]
        rows = list(range(len(running))) + [self._rows.row_of(s.slot) for s in new for _ in s.prompt]
        places = [row * self.max_model_len + at for row, at in zip(rows, positions, strict=True)]
        ends = list(accumulate(spans, initial=len(running)))
        inputs = torch.tensor([ids, positions, places], device=self._decoder.device)
        attention = StepAttention(
            config=self._decoder.config,
            cache=self._cache,
            places=inputs[2],
            running=len(running),
            longest=max(lasts, default=0) + 1,
            mask=length_mask(lasts, self._decoder.weights.embedding) if running else None,
            prompts=tuple(slice(a, b) for a, b in pairwise(ends)),
        )
        last_rows = [*range(len(running)), *(end - 1 for end in ends[1:])] if new else None
        return _Layout(inputs[0], inputs[1], attention, last_rows)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The inputs of one pass."""

    ids: Tensor  # int64 [tokens]
    positions: Tensor  # int64 [tokens]
    attention: StepAttention
    ends: list[int] | None  # which tokens are the last of their sequence; none where all are
