"""Whatever a checkpoint folder holds, it is a model or one line of refusal."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from harness.errors import BadInput
from harness.serving.model.damage import refusing_damage
from harness.serving.model.load import load_model
from harness.serving.model.names import check_model
from tests.harness.serving.model.checkpoints import CONFIG, write_checkpoint

_LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


@pytest.mark.parametrize(
    "overrides",
    [
        *({"rms_norm_eps": value} for value in (10**400, 1e39, math.nan, math.inf, 0)),
        *({"rope_theta": value} for value in (10**400, math.nan, math.inf, 0)),
        *({"eos_token_id": value} for value in (1.5, [[1]], "</s>", {"a": 1}, 10**30, -1, True)),
        *({"max_position_embeddings": value} for value in (1, 10**30)),
        *({"rope_scaling": value} for value in ("linear", [1], {"type": ["x"]}, 3)),
        *({"rope_scaling": {"type": "linear", "factor": value}} for value in (math.nan, math.inf, 10**400)),
        {"rope_scaling": _LLAMA3 | {"factor": math.inf}},
        {"rope_scaling": _LLAMA3 | {"low_freq_factor": 4.0}},
        {"rope_scaling": _LLAMA3 | {"original_max_position_embeddings": 0.5}},
        {"num_hidden_layers": 10_000_000},
        {"num_attention_heads": 1000},
        {"tie_word_embeddings": "yes"},
        {"model_type": ["x" * 5000]},
    ],
    ids=lambda overrides: str(overrides)[:60],
)
def test_a_nonsensical_configuration_is_one_line(tmp_path: Path, overrides: dict[str, Any]) -> None:
    write_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | overrides))
    assert "config.json" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "[" * 100_000),
        ("config.json", b"\xff\xfe"),
        ("config.json", None),
        ("generation_config.json", '{"eos_token_id": 3.5}'),
        ("generation_config.json", "[" * 100_000),
        ("tokenizer_config.json", '{"chat_template": 5}'),
        ("tokenizer_config.json", '{"chat_template": ["x"]}'),
        ("tokenizer_config.json", '{"chat_template": [{"name": "default"}]}'),
        ("chat_template.jinja", b"\xff"),
        ("chat_template.jinja", None),
        ("chat_template.jinja", "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}"),
        ("model.safetensors", None),
        ("model.safetensors.index.json", '{"weight_map": {"a": "\\u0000"}}'),
    ],
)
def test_a_damaged_file_is_one_line(tmp_path: Path, file: str, content: str | bytes | None) -> None:
    """`None` stands for a folder in the file's place."""
    write_checkpoint(tmp_path)
    (tmp_path / file).unlink(missing_ok=True)
    match content:
        case None:
            (tmp_path / file).mkdir()
        case str():
            (tmp_path / file).write_text(content)
        case bytes():
            (tmp_path / file).write_bytes(content)
    refusal(tmp_path)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_weights_that_are_no_numbers_are_refused_when_they_are_read(tmp_path: Path, value: float) -> None:
    write_checkpoint(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["model.layers.1.mlp.up_proj.weight"][3, 3] = torch.tensor(value)
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(BadInput, match=r"up_proj\.weight holds NaN or infinite numbers"):
        load_model(str(tmp_path))


def test_what_no_reader_expected_still_names_the_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(BadInput, match=f"{tmp_path} is damaged: OverflowError: too large"),
        refusing_damage(tmp_path),
    ):
        raise OverflowError("too\nlarge")


@pytest.mark.parametrize("name", ["", "x" * 5000, "./" + "x" * 5000, "~nobody-of-that-name/x", "./a\0b"])
def test_a_name_that_cannot_be_a_model_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_checkpoint(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert len(refusal(name)) < 400


def refusal(model: object) -> str:
    """The one line with which `model` is refused."""
    with pytest.raises(BadInput) as refused:
        check_model(str(model))
    message = str(refused.value)
    assert "\n" not in message
    assert message.isprintable()
    return message
