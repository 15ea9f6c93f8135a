"""Rotary positions as complex numbers: one table, one multiplication a layer.

Pairs are neighbours, (0, 1), (2, 3), ..., the order of the RoFormer paper (Su et al. 2021, eq. 34) and of
GGUF files. Checkpoints that pair i with i + head_dim / 2 are permuted once, when they are read.
"""

import math

import torch
from torch import Tensor

from harness.serving.model.config import DecoderConfig, LinearScaling, Llama3Scaling


def rotation_table(config: DecoderConfig, positions: int) -> Tensor:
    """complex64 [positions, head_dim / 2]: exp(i * position * frequency), computed in double precision."""
    angles = torch.outer(torch.arange(positions, dtype=torch.float64), frequencies(config))
    return torch.polar(torch.ones_like(angles), angles).to(torch.complex64)


def frequencies(config: DecoderConfig) -> Tensor:
    """float64 [head_dim / 2], radians a position."""
    exponents = torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim
    plain = config.rope_theta**-exponents
    match config.rope_scaling:
        case None:
            return plain
        case LinearScaling(factor):
            return plain / factor
        case Llama3Scaling() as scaling:
            return _llama3(plain, scaling)


def _llama3(plain: Tensor, scaling: Llama3Scaling) -> Tensor:
    """Waves of more than original/low positions are stretched, of less than original/high kept, else blended.

    The rule that Llama 3.1 was published with.
    """
    turns = scaling.original_max_positions * plain / (2 * math.pi)
    kept = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
    kept = kept.clamp(0.0, 1.0)
    return kept * plain + (1 - kept) * plain / scaling.factor


def rotate(qkv: Tensor, rotation: Tensor) -> None:
    """Rotate the leading columns (queries and keys) of `qkv` [tokens, any] in place.

    `rotation` is complex64 [tokens, rotated columns / 2], one angle for each neighbouring pair.
    """
    columns = qkv[:, : 2 * rotation.shape[1]]
    pairs = columns.view(len(qkv), -1, 2)
    if qkv.dtype == torch.float32:
        torch.view_as_complex(pairs).mul_(rotation)
    else:
        turned = torch.view_as_complex(pairs.float()).mul_(rotation)
        columns.copy_(torch.view_as_real(turned).flatten(1))
