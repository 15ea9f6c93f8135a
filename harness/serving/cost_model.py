"""The engine of virtual runs: what a step would cost, instead of the step.

A step reads all weights once, whatever the batch (`fixed_s`), computes for each running sequence
(`sequence_s`) and each prompt token (`prefill_token_s`), and reads the KV cache of the running sequences
(`kv_token_s`). That is the roofline of decoding, linear in what a batch holds.
"""

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, fields
from math import inf

from harness.serving.engine import Sequence, Tokenizer
from harness.serving.model.byte_tokenizer import ByteTokenizer

MAX_MODEL_LEN = 2048  # tokens, the torch engine's default


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds. Where they come from is the business of `harness/calibration`.

    Attributes:
        name: of the set, for reports.
        fixed_s: of every step.
        sequence_s: for each sequence that generates a further token.
        prefill_token_s: for each prompt token of a sequence that is new.
        kv_token_s: for each token in the cache of the running sequences.
        hop_s: one hop over HTTP between callers, services and gateway, request and answer together.
        link_s: the hop from the gateway through the proxy to a worker, the same way.
        late_s: how much later than asked a padded step ends: the timer, and handing its tokens over.
        padded: steps are padded to the topology's floor, as those of a small model on a CPU.
    """

    name: str
    fixed_s: float
    sequence_s: float
    prefill_token_s: float
    kv_token_s: float
    hop_s: float = 0.0
    link_s: float = 0.0
    late_s: float = 0.0
    padded: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not 0 <= value < inf:
                raise ValueError(
                    f"costs '{self.name}': {field.name} must be 0 s or more and finite, got {value}"
                )
        if not self.fixed_s > 0:
            raise ValueError(f"costs '{self.name}': fixed_s must be above 0 s: no step takes no time")

    def step_s(self, prefill_tokens: float, running: int, kv_tokens: float) -> float:
        """Seconds of one step. Numbers of tokens may be averages."""
        return (
            self.fixed_s
            + self.sequence_s * running
            + self.prefill_token_s * prefill_tokens
            + self.kv_token_s * kv_tokens
        )


class CostModel:
    """Implements `Engine`: says token 0 to everybody, and what the step costs."""

    def __init__(self, costs: Costs, max_num_seqs: int = 8, max_model_len: int = MAX_MODEL_LEN) -> None:
        self.name = costs.name
        self.costs = costs
        self.times = 1.0  # each step takes so many times as long: what a neighbour leaves of the machine
        self.tokenizer: Tokenizer = ByteTokenizer()
        self.max_num_seqs = max_num_seqs
        self.max_model_len = max_model_len

    def step(self, batch: SequenceOf[Sequence]) -> list[int]:
        return [0] * len(batch)

    def release(self, slot: int) -> None:
        """Nothing is cached."""

    def step_s(self, batch: SequenceOf[Sequence]) -> float:
        """Seconds that the next step of `batch` takes."""
        prefill = running = kv = 0
        for sequence in batch:
            if sequence.tokens:
                running += 1
                kv += len(sequence.prompt) + len(sequence.tokens)
            else:
                prefill += len(sequence.prompt)
        return self.times * self.costs.step_s(prefill, running, kv)

    def foresee(self, batch: SequenceOf[Sequence], steps: int) -> list[float]:
        """Seconds of each of the next `steps` steps of a batch past its prompts that stays as it is."""
        running = len(batch)
        kv = sum(len(sequence.prompt) + len(sequence.tokens) for sequence in batch)
        step_s, times = self.costs.step_s, self.times
        return [times * step_s(0, running, kv + running * step) for step in range(steps)]
