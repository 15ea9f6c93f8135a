"""Keys and values of the running sequences, one row of a fixed table each."""

import numpy as np
import torch
from torch import Tensor

from harness.serving.model.config import DecoderConfig


class KvCache:
    """[layers, rows, max_len, 2, kv_heads, head_dim].

    Keys and values of a token lie side by side, as the fused projection delivers them: one copy stores both.
    """

    def __init__(self, config: DecoderConfig, rows: int, max_len: int, like: Tensor) -> None:
        """`like` gives type and device."""
        shape = (config.layers, rows, max_len, 2, config.kv_heads, config.head_dim)
        self.max_len = max_len
        self._all = _zeros(shape, like)
        self._places = self._all.view(config.layers, rows * max_len, -1).unbind(0)
        by_head = self._all.permute(0, 3, 1, 4, 2, 5)  # [layers, 2, rows, kv_heads, max_len, head_dim]
        self._keys, self._values = by_head[:, 0].unbind(0), by_head[:, 1].unbind(0)

    def store(self, layer: int, places: Tensor, keys_values: Tensor) -> None:
        """Write [tokens, 2 * kv_heads * head_dim] at `places` [tokens], each row * max_len + position."""
        self._places[layer].index_copy_(0, places, keys_values)

    def first(self, layer: int, rows: int, length: int) -> tuple[Tensor, Tensor]:
        """Views [rows, kv_heads, length, head_dim] of keys and values in the first `rows` rows."""
        return self._keys[layer][:rows, :, :length], self._values[layer][:rows, :, :length]

    def move(self, source: int, target: int, length: int) -> None:
        """Copy the first `length` positions of one row to another."""
        self._all[:, target, :length] = self._all[:, source, :length]

    def swap(self, a: int, b: int, length: int) -> None:
        """Exchange the first `length` positions of two rows."""
        kept = self._all[:, a, :length].clone()
        self.move(b, a, length)
        self._all[:, b, :length] = kept


def _zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Zeroed once, since a masked NaN would still poison a sum.

    On a CPU the pages come from calloc: memory is used as sequences grow, not reserved for the worst case.
    """
    if like.device.type == "cpu" and like.dtype == torch.float32:
        return torch.from_numpy(np.zeros(shape, dtype=np.float32))
    return torch.zeros(shape, dtype=like.dtype, device=like.device)
