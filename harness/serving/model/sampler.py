"""From logits to the next id, the same whoever shares the batch.

Chance is a pure function of the sequence's seed and the number of the token, so that nothing has to be kept
between steps and a sequence that joins late or is computed again draws the same numbers.
"""

from collections.abc import Sequence as SequenceOf

import torch
from torch import Tensor

from harness.serving.engine import Sequence

COLDEST = 1e-4  # temperatures below this are greedy: dividing by them overflows
_MASK = (1 << 64) - 1


def choose(logits: Tensor, sequences: SequenceOf[Sequence]) -> list[int]:
    """One id for each row of float32 `logits` [sequences, vocab]."""
    ids: list[int] = logits.argmax(-1).tolist()
    warm = [row for row, sequence in enumerate(sequences) if sequence.temperature > COLDEST]
    if warm:
        drawn = _sample(logits[warm], [sequences[row] for row in warm])
        for row, token in zip(warm, drawn, strict=True):
            ids[row] = token
    return ids


def _sample(logits: Tensor, sequences: SequenceOf[Sequence]) -> list[int]:
    """Inverse of the cumulative distribution, in double precision."""
    heat = torch.tensor([s.temperature for s in sequences], dtype=torch.float64, device=logits.device)
    cumulative = torch.softmax(logits.double() / heat.unsqueeze(1), -1).cumsum(-1)
    chance = [uniform(s.seed, len(s.tokens)) for s in sequences]
    target = torch.tensor(chance, dtype=torch.float64, device=logits.device).unsqueeze(1) * cumulative[:, -1:]
    drawn: list[int] = torch.searchsorted(cumulative, target, right=True).squeeze(1).tolist()
    return drawn


def uniform(seed: int, index: int) -> float:
    """A number in [0, 1) with 32 random bits: SplitMix64 (Steele, Lea, Flood 2014) of seed and index."""
    return _mixed(_mixed(seed & _MASK) + index) / 2**32


def _mixed(state: int) -> int:
    """The upper 32 bits of one SplitMix64 output."""
    z = (state + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 32
