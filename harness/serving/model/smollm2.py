"""SmolLM2-135M-Instruct out of its GGUF file: shape, weights, tokenizer and chat template all lie in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from harness.errors import EnvironmentFault
from harness.serving.model.config import DecoderConfig
from harness.serving.model.decoder import DecoderWeights
from harness.serving.model.device import pick_dtype
from harness.serving.model.fuse import StoredLayer, fuse
from harness.serving.model.gguf import DamagedFile, GgufFile
from harness.serving.model.gguf_tokenizer import gguf_tokenizer
from harness.serving.model.smollm2_file import REMEDY
from harness.serving.model.subword_tokenizer import SubwordTokenizer


def load_smollm2(path: Path, device: str) -> tuple[DecoderConfig, DecoderWeights, SubwordTokenizer]:
    """Raises EnvironmentFault for a file that is not what was published."""
    try:
        file = GgufFile(path)
        config = read_config(file.fields)
        return config, _weights(file, config, device), gguf_tokenizer(file.fields)
    except (DamagedFile, KeyError, OSError) as error:
        raise EnvironmentFault(f"{path} is damaged ({error}); {REMEDY}") from None


def read_config(fields: Mapping[str, Any]) -> DecoderConfig:
    """The shape that a GGUF file of the `llama` architecture states."""
    heads = fields["llama.attention.head_count"]
    width = fields["llama.embedding_length"]
    return DecoderConfig(
        vocab_size=len(fields["tokenizer.ggml.tokens"]),
        layers=fields["llama.block_count"],
        width=width,
        heads=heads,
        kv_heads=fields["llama.attention.head_count_kv"],
        head_dim=width // heads,
        ffn_width=fields["llama.feed_forward_length"],
        max_positions=fields["llama.context_length"],
        norm_eps=fields["llama.attention.layer_norm_rms_epsilon"],
        rope_theta=fields["llama.rope.freq_base"],
    )


def _weights(file: GgufFile, config: DecoderConfig, device: str) -> DecoderWeights:
    dtype = pick_dtype(device, config.parameters)

    def placed(name: str) -> Tensor:
        return torch.from_numpy(file.tensor(f"{name}.weight")).to(device=device, dtype=dtype)

    embedding = placed("token_embd")
    layers = tuple(fuse(_stored(file, index), device, dtype) for index in range(config.layers))
    return DecoderWeights(embedding, layers, embedding.t(), placed("output_norm"))


def _stored(file: GgufFile, index: int) -> StoredLayer:
    """Query and key rows of a GGUF file already pair with their neighbours, see rope.py."""

    def read(name: str) -> Tensor:
        return torch.from_numpy(file.tensor(f"blk.{index}.{name}.weight"))

    return StoredLayer(
        attention_gain=read("attn_norm"),
        q=read("attn_q"),
        k=read("attn_k"),
        v=read("attn_v"),
        out=read("attn_output"),
        ffn_gain=read("ffn_norm"),
        gate=read("ffn_gate"),
        up=read("ffn_up"),
        down=read("ffn_down"),
    )
