"""config.json of a Llama checkpoint, in the form that the common training libraries write.

Every field is either used, known not to change the maths, or refused: a field that is silently ignored gives
text that is subtly wrong.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.serving.model.config import DecoderConfig
from harness.serving.model.fields import count, number, read_json, shown
from harness.serving.model.rope_scaling import read_rope

_FIXED: dict[str, object] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "rope_interleaved": False,
}
_USED = {
    "vocab_size",
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "max_position_embeddings",
    "rms_norm_eps",
    "rope_theta",
    "rope_scaling",
    "rope_parameters",
    "tie_word_embeddings",
    "eos_token_id",
}
_HARMLESS = {
    "_name_or_path",
    "attention_dropout",  # training only
    "auto_map",
    "bos_token_id",
    "dtype",
    "initializer_range",
    "is_llama_config",
    "pad_token_id",
    "pretraining_tp",  # slices the same products
    "torch_dtype",
    "transformers.js_config",
    "transformers_version",
    "use_cache",
}


@dataclass(frozen=True, slots=True)
class CheckpointConfig:
    """What config.json says."""

    decoder: DecoderConfig
    tied: bool  # the embedding is also the output matrix
    eos_ids: frozenset[int]


def read_checkpoint_config(folder: Path) -> CheckpointConfig:
    """Raises BadInput for a missing, damaged or unsupported configuration."""
    path = folder / "config.json"
    raw = read_json(path)
    _refuse_unsupported(raw, path)
    heads = _count(raw, "num_attention_heads", path)
    width = _count(raw, "hidden_size", path)
    theta, scaling = read_rope(raw, path)
    epsilon = raw.get("rms_norm_eps")
    decoder = DecoderConfig(
        vocab_size=_count(raw, "vocab_size", path),
        layers=_count(raw, "num_hidden_layers", path),
        width=width,
        heads=heads,
        kv_heads=_count(raw, "num_key_value_heads", path, default=heads),
        head_dim=_count(raw, "head_dim", path, default=width // heads),
        ffn_width=_count(raw, "intermediate_size", path),
        max_positions=_count(raw, "max_position_embeddings", path, default=2048, least=2),
        norm_eps=number(1e-6 if epsilon is None else epsilon, "rms_norm_eps", path),
        rope_theta=theta,
        rope_scaling=scaling,
    )
    if decoder.heads % decoder.kv_heads or decoder.head_dim % 2:
        raise BadInput(f"{path}: {heads} heads do not divide into {decoder.kv_heads} groups of even width")
    return CheckpointConfig(decoder, _tied(raw, path), _eos_ids(raw, folder, decoder.vocab_size))


def _refuse_unsupported(raw: dict[str, Any], path: Path) -> None:
    if raw.get("model_type") != "llama":
        raise BadInput(f"{path}: model_type is {shown(raw.get('model_type'))}; only 'llama' is supported")
    for key, value in raw.items():
        if key in _FIXED and value != _FIXED[key]:
            raise BadInput(f"{path}: {key} is {shown(value)}; only {_FIXED[key]!r} is supported")
        known = key in _FIXED or key in _USED or key in _HARMLESS
        if not known and value not in (None, False):
            raise BadInput(f"{path}: unsupported field {key} = {shown(value)}; it might change the maths")


def _count(raw: dict[str, Any], key: str, path: Path, default: int | None = None, least: int = 1) -> int:
    value = raw.get(key)
    return count(default if value is None else value, key, path, least)


def _tied(raw: dict[str, Any], path: Path) -> bool:
    value = raw.get("tie_word_embeddings")
    if not isinstance(value, bool | None):
        raise BadInput(f"{path}: tie_word_embeddings must be true or false, found {shown(value)}")
    return value is True


def _eos_ids(raw: dict[str, Any], folder: Path, vocab_size: int) -> frozenset[int]:
    """Ids that end a text: chat models often name theirs in generation_config.json only."""
    extra = folder / "generation_config.json"
    sources = {folder / "config.json": raw} | ({extra: read_json(extra)} if extra.exists() else {})
    ids: set[int] = set()
    for path, source in sources.items():
        value = source.get("eos_token_id")
        listed = value if isinstance(value, list) else [] if value is None else [value]
        ids.update(_eos_id(one, path, vocab_size) for one in listed)
    return frozenset(ids)


def _eos_id(value: object, path: Path, vocab_size: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < vocab_size:
        raise BadInput(
            f"{path}: eos_token_id must be one id or a list of ids, each from 0 to {vocab_size - 1}, "
            f"found {shown(value)}"
        )
    return value
