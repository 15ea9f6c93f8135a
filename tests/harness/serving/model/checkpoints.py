"""A small checkpoint folder as the common training libraries write it, with random weights."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from torch import Tensor

from harness.serving.model.checkpoint_config import read_checkpoint_config
from harness.serving.model.checkpoint_files import HEAD, expected_shapes

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)
CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 300,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10_000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "eos_token_id": 257,
    "torch_dtype": "float32",
}


def write_checkpoint(
    folder: Path, *, shards: int = 1, template: bool = True, **overrides: Any
) -> dict[str, Tensor]:
    """Write config, weights and tokenizer to `folder`, return the weights by name."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in {**CONFIG, **overrides}.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(config))
    tensors = random_tensors(folder)
    _write_weights(folder, tensors, shards)
    write_tokenizer(folder, template)
    return tensors


def random_tensors(folder: Path) -> dict[str, Tensor]:
    """Gains near one, matrices near zero, all different."""
    config = read_checkpoint_config(folder)
    chance = torch.Generator().manual_seed(7)
    shapes = expected_shapes(config.decoder)
    if config.tied:
        shapes.pop(HEAD)
    made = {name: torch.randn(shape, generator=chance) * 0.3 for name, shape in shapes.items()}
    return {name: tensor + 1 if tensor.dim() == 1 else tensor for name, tensor in made.items()}


def _write_weights(folder: Path, tensors: dict[str, Tensor], shards: int) -> None:
    if shards == 1:
        save_file(tensors, folder / "model.safetensors")
        return
    place = {name: f"model-{i % shards + 1:05}-of-{shards:05}.safetensors" for i, name in enumerate(tensors)}
    for file in set(place.values()):
        save_file({name: tensor for name, tensor in tensors.items() if place[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": place}))


def write_tokenizer(folder: Path, template: bool) -> None:
    """Byte-level pairs: every byte, two special tokens, a few merges."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    vocabulary |= {"<s>": 256, "</s>": 257, "th": 258, "the": 259}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("t", "h"), ("th", "e")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in ("<s>", "</s>")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 256)])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"bos_token": "<s>", "eos_token": {"content": "</s>"}}
    (folder / "tokenizer_config.json").write_text(
        json.dumps(settings | ({"chat_template": TEMPLATE} if template else {}))
    )
