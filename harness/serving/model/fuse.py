"""From the nine tensors of a layer, as files store them, to the four that the decoder multiplies with."""

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.serving.model.decoder import LayerWeights


@dataclass(frozen=True, slots=True)
class StoredLayer:
    """Matrices are [out, in]."""

    attention_gain: Tensor
    q: Tensor
    k: Tensor
    v: Tensor
    out: Tensor
    ffn_gain: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor


def fuse(stored: StoredLayer, device: str, dtype: torch.dtype) -> LayerWeights:
    """Gains go into the matrix behind them, (g * x) W = x (g W), computed in float32 before any rounding."""

    def placed(*matrices: Tensor, gain: Tensor | None = None) -> Tensor:
        joined = torch.cat([matrix.float() for matrix in matrices])
        scaled = joined if gain is None else joined * gain.float()
        return scaled.t().to(device=device, dtype=dtype).contiguous()

    return LayerWeights(
        qkv=placed(stored.q, stored.k, stored.v, gain=stored.attention_gain),
        out=placed(stored.out),
        gate_up=placed(stored.gate, stored.up, gain=stored.ffn_gain),
        down=placed(stored.down),
    )


def neighbours(matrix: Tensor, head_dim: int) -> Tensor:
    """Reorder the rows of a query or key matrix [heads * head_dim, in] for rope.py.

    Checkpoints of the common libraries rotate row i of a head with row i + head_dim / 2; here 2i goes with
    2i + 1.
    """
    halves = matrix.view(-1, 2, head_dim // 2, matrix.shape[1])
    return halves.transpose(1, 2).reshape(matrix.shape)
