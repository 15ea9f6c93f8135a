"""Weights of a Llama checkpoint folder, one file or sharded."""

from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

from harness.errors import BadInput
from harness.serving.model.checkpoint_config import CheckpointConfig
from harness.serving.model.checkpoint_files import EMBEDDING, HEAD, LAST_NORM, CheckpointFiles
from harness.serving.model.decoder import DecoderWeights, LayerWeights
from harness.serving.model.device import pick_dtype
from harness.serving.model.fuse import StoredLayer, fuse, neighbours


def load_checkpoint_weights(folder: Path, config: CheckpointConfig, device: str) -> DecoderWeights:
    """Reads a layer at a time, so that the peak is the model plus one layer. Raises BadInput."""
    files = CheckpointFiles(folder)
    files.require(config)
    dtype = pick_dtype(device, config.decoder.parameters)

    def placed(name: str) -> Tensor:
        return _read(files, name).to(device=device, dtype=dtype)

    embedding = placed(EMBEDDING)
    return DecoderWeights(
        embedding=embedding,
        layers=tuple(_layer(files, i, config, device, dtype) for i in range(config.decoder.layers)),
        unembedding=(embedding if config.tied else placed(HEAD)).t(),
        last_gain=placed(LAST_NORM),
    )


def _layer(
    files: CheckpointFiles, index: int, config: CheckpointConfig, device: str, dtype: torch.dtype
) -> LayerWeights:
    def read(name: str) -> Tensor:
        return _read(files, f"model.layers.{index}.{name}.weight")

    head_dim = config.decoder.head_dim
    stored = StoredLayer(
        attention_gain=read("input_layernorm"),
        q=neighbours(read("self_attn.q_proj"), head_dim),
        k=neighbours(read("self_attn.k_proj"), head_dim),
        v=read("self_attn.v_proj"),
        out=read("self_attn.o_proj"),
        ffn_gain=read("post_attention_layernorm"),
        gate=read("mlp.gate_proj"),
        up=read("mlp.up_proj"),
        down=read("mlp.down_proj"),
    )
    return fuse(stored, device, dtype)


def _read(files: CheckpointFiles, name: str) -> Tensor:
    with safe_open(files.where[name], framework="pt") as file:
        tensor: Tensor = file.get_tensor(name)
    if not torch.isfinite(tensor).all():
        raise BadInput(f"{files.where[name]}: {name} holds NaN or infinite numbers; the weights are damaged")
    return tensor
