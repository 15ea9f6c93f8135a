"""The oracle: a Llama forward pass written from the papers, one plain operation after the other.

It shares no code with the decoder: half-split rotation, shared key heads, a triangle, gains apart.
"""

from typing import Any

import torch
from torch import Tensor


def naive_logits(tensors: dict[str, Tensor], config: dict[str, Any], ids: list[int]) -> Tensor:
    """float32 [len(ids), vocab] by the weights' names in a checkpoint."""
    x = tensors["model.embed_tokens.weight"][ids]
    for index in range(config["num_hidden_layers"]):
        layer = {
            name.removeprefix(f"model.layers.{index}.").removesuffix(".weight"): tensor
            for name, tensor in tensors.items()
            if name.startswith(f"model.layers.{index}.")
        }
        x = x + _attention(_norm(x, layer["input_layernorm"], config), layer, config)
        hidden = _norm(x, layer["post_attention_layernorm"], config)
        gate, up = hidden @ layer["mlp.gate_proj"].T, hidden @ layer["mlp.up_proj"].T
        x = x + (gate * torch.sigmoid(gate) * up) @ layer["mlp.down_proj"].T
    head = tensors.get("lm_head.weight", tensors["model.embed_tokens.weight"])
    return _norm(x, tensors["model.norm.weight"], config) @ head.T


def _norm(x: Tensor, gain: Tensor, config: dict[str, Any]) -> Tensor:
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + config["rms_norm_eps"]) * gain


def _attention(x: Tensor, layer: dict[str, Tensor], config: dict[str, Any]) -> Tensor:
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim") or config["hidden_size"] // heads
    length = len(x)
    q = _rotated((x @ layer["self_attn.q_proj"].T).view(length, heads, head_dim), config)
    k = _rotated((x @ layer["self_attn.k_proj"].T).view(length, kv_heads, head_dim), config)
    v = (x @ layer["self_attn.v_proj"].T).view(length, kv_heads, head_dim)
    outputs = []
    for head in range(heads):
        shared = head // (heads // kv_heads)
        scores = q[:, head] @ k[:, shared].T / head_dim**0.5
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), -torch.inf)
        outputs.append(torch.softmax(scores, -1) @ v[:, shared])
    return torch.cat(outputs, -1) @ layer["self_attn.o_proj"].T


def _rotated(x: Tensor, config: dict[str, Any]) -> Tensor:
    """[length, heads, head_dim]; the first half of a head rotates with the second."""
    half = x.shape[-1] // 2
    frequency = config["rope_theta"] ** (-torch.arange(half) / half)
    angle = torch.arange(len(x))[:, None, None] * frequency
    first, second = x[..., :half], x[..., half:]
    return torch.cat(
        [first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()], -1
    )
