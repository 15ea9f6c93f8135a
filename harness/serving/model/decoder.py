"""One Llama-style decoder in plain torch.

All tokens of a step, of running and of new sequences alike, are rows of one matrix; which rows see which is
the business of the `attend` that the caller passes. What a small model's step costs is operators, so there
are few: projections are fused, positions are one multiplication, the gains of the norms are in the matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import silu

from harness.serving.model.config import DecoderConfig
from harness.serving.model.rope import rotate, rotation_table

Attend = Callable[[int, Tensor], Tensor]
"""(layer, rotated qkv [tokens, qkv_width]) -> context [tokens, heads * head_dim]."""


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """Matrices are [in, out]; the gain of the norm before a matrix is multiplied into it."""

    qkv: Tensor  # [width, qkv_width]; head pairs are neighbours, see rope.py
    out: Tensor  # [heads * head_dim, width]
    gate_up: Tensor  # [width, 2 * ffn_width]
    down: Tensor  # [ffn_width, width]


@dataclass(frozen=True, slots=True)
class DecoderWeights:
    embedding: Tensor  # [vocab, width]
    layers: tuple[LayerWeights, ...]
    unembedding: Tensor  # [width, vocab]; a view of the embedding where they are tied
    last_gain: Tensor | None = None  # [width], of the norm before it; none where it is one


class Decoder:
    """Weights and maths; holds no sequence."""

    def __init__(self, config: DecoderConfig, weights: DecoderWeights, positions: int) -> None:
        self.config = config
        self.weights = weights
        like = weights.embedding
        self.device, self.dtype = like.device, like.dtype
        self._rotation = rotation_table(config, positions).to(self.device)
        self._eps = torch.full((1, 1), config.norm_eps, device=self.device)

    def states(self, ids: Tensor, positions: Tensor, attend: Attend) -> Tensor:
        """Last hidden states [tokens, width], normalised without gain.

        `ids` and `positions` are int64 [tokens].
        """
        rotation = self._rotation_at(positions)
        x = self.weights.embedding[ids]
        for index, layer in enumerate(self.weights.layers):
            qkv = self._norm(x) @ layer.qkv
            rotate(qkv, rotation)
            x = torch.addmm(x, attend(index, qkv), layer.out)
            gate, up = (self._norm(x) @ layer.gate_up).tensor_split(2, dim=1)
            x = torch.addmm(x, silu(gate) * up, layer.down)
        return self._norm(x)

    def logits(self, states: Tensor) -> Tensor:
        """float32 [tokens, vocab] of `states` [tokens, width]."""
        gain = self.weights.last_gain
        gained = states if gain is None else states * gain
        return (gained @ self.weights.unembedding).float()

    def _rotation_at(self, positions: Tensor) -> Tensor:
        """One angle for every rotated pair of every head, flat: a broadcast inner loop would cost twice."""
        turned_heads = self.config.heads + self.config.kv_heads
        return self._rotation[positions].repeat(1, turned_heads)

    def _norm(self, x: Tensor) -> Tensor:
        """RMSNorm without gain. A reduction to the 2-norm is cheaper than torch's composite rms_norm."""
        wide = x.float()
        length = torch.linalg.vector_norm(wide, 2, -1, True)
        scale = torch.addcmul(self._eps, length, length, value=1 / self.config.width).rsqrt_()
        return (wide * scale).to(x.dtype)
