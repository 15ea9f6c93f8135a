"""Who sees whom in one step: running sequences read the cache, new ones see their own prompt."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from harness.serving.model.config import DecoderConfig
from harness.serving.model.kv_cache import KvCache


@dataclass(frozen=True, slots=True)
class StepAttention:
    """The `attend` of a decoder for tokens laid out as: one for each running sequence, then whole prompts."""

    config: DecoderConfig
    cache: KvCache
    places: Tensor  # int64 [tokens], where the cache keeps each token
    running: int  # sequences that decode; they occupy the first rows of the cache, in order
    longest: int  # tokens of the longest of them, this one included
    mask: Tensor | None  # [running, 1, 1, longest], added to the scores; none where all are as long
    prompts: tuple[slice, ...]  # tokens of each new sequence

    def __call__(self, layer: int, qkv: Tensor) -> Tensor:
        """Context [tokens, heads * head_dim] of rotated `qkv` [tokens, qkv_width]."""
        queries = self.config.heads * self.config.head_dim
        self.cache.store(layer, self.places, qkv[:, queries:])
        seen = [self._over_cache(layer, qkv[: self.running, :queries])] if self.running else []
        seen += [self._over_prompt(qkv[prompt]) for prompt in self.prompts]
        return seen[0] if len(seen) == 1 else torch.cat(seen)

    def _over_cache(self, layer: int, queries: Tensor) -> Tensor:
        """The heads that share a key are its queries: grouping needs no copy and no repetition."""
        c = self.config
        keys, values = self.cache.first(layer, self.running, self.longest)
        grouped = queries.view(self.running, c.kv_heads, -1, c.head_dim)
        return scaled_dot_product_attention(grouped, keys, values, self.mask).reshape(self.running, -1)

    def _over_prompt(self, qkv: Tensor) -> Tensor:
        return causal_attention(self.config, qkv.unsqueeze(0)).squeeze(0)


def causal_attention(config: DecoderConfig, qkv: Tensor) -> Tensor:
    """Whole sequences, each token seeing those before it: [sequences, length, qkv_width] to [..., width]."""
    heads = qkv.view(*qkv.shape[:2], -1, config.head_dim).transpose(1, 2)
    q, k, v = torch.split(heads, [config.heads, config.kv_heads, config.kv_heads], dim=1)
    seen = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return seen.transpose(1, 2).flatten(2)


def length_mask(positions: list[int], like: Tensor) -> Tensor | None:
    """0 where sequence i has a key at that position, -inf beyond; none where nothing would be hidden."""
    longest = max(positions)
    if min(positions) == longest:
        return None
    last = torch.tensor(positions, device=like.device)
    hidden = torch.arange(longest + 1, device=like.device) > last.unsqueeze(1)
    mask = torch.zeros(hidden.shape, dtype=like.dtype, device=like.device).masked_fill_(hidden, -torch.inf)
    return mask[:, None, None, :]
