"""Checkpoint folders: the same numbers as the textbook, and a clear word about everything else."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from harness.errors import BadInput
from harness.serving.engine import Sequence
from harness.serving.model.load import load_model
from harness.serving.model.names import check_model
from harness.serving.torch_engine import TorchEngine
from tests.harness.serving.model.checkpoints import CONFIG, write_checkpoint
from tests.harness.serving.model.naive_llama import naive_logits


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"tie_word_embeddings": True},
        {"num_key_value_heads": 6},
        {"num_key_value_heads": 1, "head_dim": 16},
        {"rope_theta": 500.0, "rms_norm_eps": 0.1},
    ],
    ids=["grouped", "tied", "one key head each", "one key head, wide", "other base and epsilon"],
)
def test_the_engine_continues_as_the_textbook_decoder_does(tmp_path: Path, overrides: dict[str, Any]) -> None:
    tensors = write_checkpoint(tmp_path / "model", **overrides)
    engine = TorchEngine.load(str(tmp_path / "model"), "cpu")
    sequence = Sequence([256, 5, 17, 99, 3], 12, slot=0)
    for _ in range(12):
        sequence.tokens += engine.step([sequence])
    ids = [*sequence.prompt, *sequence.tokens]
    expected = naive_logits(tensors, CONFIG | overrides, ids[:-1]).argmax(-1).tolist()
    assert sequence.tokens == expected[len(sequence.prompt) - 1 :]


def test_logits_equal_the_textbook_to_rounding(tmp_path: Path) -> None:
    tensors = write_checkpoint(tmp_path / "model")
    engine = TorchEngine.load(str(tmp_path / "model"), "cpu")
    seen: list[torch.Tensor] = []
    decoder_logits = engine._decoder.logits
    engine._decoder.logits = lambda states: seen.append(decoder_logits(states)) or seen[-1]  # type: ignore[func-returns-value, method-assign]  # a spy
    sequence = Sequence([1, 2, 3], 2, slot=0)
    sequence.tokens += engine.step([sequence])
    engine.step([sequence])
    expected = naive_logits(tensors, CONFIG, [1, 2, 3, *sequence.tokens])[-2:]
    torch.testing.assert_close(torch.cat(seen), expected, rtol=1e-4, atol=1e-4)


def test_a_sharded_checkpoint_is_the_same_model(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "whole")
    write_checkpoint(tmp_path / "sharded", shards=3)
    whole, sharded = (load_model(str(tmp_path / name)).weights for name in ("whole", "sharded"))
    assert all(
        torch.equal(a.qkv, b.qkv) and torch.equal(a.down, b.down)
        for a, b in zip(whole.layers, sharded.layers, strict=True)
    )
    assert torch.equal(whole.unembedding, sharded.unembedding)


def test_half_precision_files_are_computed_in_float32(tmp_path: Path) -> None:
    tensors = write_checkpoint(tmp_path)
    save_file({name: tensor.bfloat16() for name, tensor in tensors.items()}, tmp_path / "model.safetensors")
    weights = load_model(str(tmp_path)).weights
    assert weights.embedding.dtype == torch.float32
    assert torch.equal(weights.embedding, tensors["model.embed_tokens.weight"].bfloat16().float())


def test_the_folder_names_the_model_and_its_files_the_ends_of_text(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "my-model")
    (tmp_path / "my-model" / "generation_config.json").write_text('{"eos_token_id": [257, 12]}')
    model = load_model(str(tmp_path / "my-model"))
    assert model.name == "my-model"
    assert model.tokenizer.eos_ids == {257, 12}


def test_text_goes_through_the_tokenizer_with_its_own_special_tokens(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    tokenizer = load_model(str(tmp_path)).tokenizer
    ids = tokenizer.encode("the moth éé")
    assert ids[:2] == [256, 259]
    assert tokenizer.decode(ids) == "the moth éé"
    assert tokenizer.vocabulary_size == 260


def test_a_chat_is_rendered_by_the_template_without_a_second_start_token(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    tokenizer = load_model(str(tmp_path)).tokenizer
    ids = tokenizer.chat([{"role": "user", "content": "hi"}])
    assert ids.count(256) == 1
    assert tokenizer.decode(ids) == "[user] hi\n[assistant] "


def test_a_model_without_a_chat_template_says_so(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, template=False)
    tokenizer = load_model(str(tmp_path)).tokenizer
    with pytest.raises(BadInput, match="no chat template"):
        tokenizer.chat([{"role": "user", "content": "hi"}])


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        ({"model_type": "mistral"}, "model_type is 'mistral'"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu'"),
        ({"attention_bias": True}, "attention_bias is True"),
        ({"mlp_bias": True}, "mlp_bias is True"),
        ({"sliding_window": 4096}, "unsupported field sliding_window = 4096"),
        ({"quantization_config": {"bits": 4}}, "unsupported field quantization_config"),
        ({"logit_scale": 0.5}, "unsupported field logit_scale"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, "rotary scaling 'yarn' is not supported"),
        (
            {"rope_scaling": {"type": "linear", "factor": 2.0, "extra": 1}},
            "takes factor; found extra, factor",
        ),
        ({"rope_scaling": {"type": "linear", "factor": "two"}}, "factor must be a number above 0"),
        ({"hidden_size": 0}, "hidden_size must be a whole number above 0, found 0"),
        ({"vocab_size": ...}, "vocab_size must be a whole number above 0, found None"),
        ({"num_key_value_heads": 4}, "6 heads do not divide into 4 groups"),
        ({"rms_norm_eps": "small"}, "rms_norm_eps must be a number above 0"),
    ],
)
def test_a_configuration_that_would_change_the_maths_is_refused(
    tmp_path: Path, overrides: dict[str, Any], complaint: str
) -> None:
    write_checkpoint(tmp_path)
    config = {key: value for key, value in (CONFIG | overrides).items() if value is not ...}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(BadInput, match=complaint):
        check_model(str(tmp_path))


def test_fields_that_are_off_or_known_to_be_harmless_are_accepted(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, sliding_window=None, use_cache=True, bos_token_id=256, layer_types=False)
    check_model(str(tmp_path))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda tensors: tensors.pop("model.norm.weight"), "tensor model.norm.weight is in none"),
        (lambda tensors: tensors.update(extra=torch.zeros(1)), "unsupported tensor extra"),
        (
            lambda tensors: tensors.update({"model.norm.weight": torch.zeros(5)}),
            r"model.norm.weight is \[5\], config.json says \[48\]",
        ),
        (
            lambda tensors: tensors.update({"model.norm.weight": torch.zeros(48, dtype=torch.int8)}),
            "model.norm.weight is stored as I8",
        ),
    ],
    ids=["missing", "extra", "shape", "type"],
)
def test_weights_that_are_no_plain_llama_are_refused(tmp_path: Path, change: Any, complaint: str) -> None:
    write_checkpoint(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    change(tensors)
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(BadInput, match=complaint):
        check_model(str(tmp_path))


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("config.json", None, "config.json is missing"),
        ("config.json", "{", "config.json cannot be read as JSON"),
        ("config.json", "[]", "must hold an object, found list"),
        ("model.safetensors", None, r"has no \*.safetensors file"),
        ("model.safetensors", "not weights", "model.safetensors is missing or damaged"),
        ("model.safetensors.index.json", "{}", "expected a 'weight_map'"),
        ("tokenizer.json", None, "tokenizer.json is missing"),
        ("tokenizer.json", "{}", "tokenizer.json is damaged"),
        ("chat_template.jinja", "{% for %}", "chat template is damaged"),
    ],
)
def test_a_missing_or_damaged_file_is_named(
    tmp_path: Path, file: str, content: str | None, complaint: str
) -> None:
    write_checkpoint(tmp_path)
    path = tmp_path / file
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=complaint):
        load_model(str(tmp_path))
    with pytest.raises(BadInput, match=complaint) as refused:
        check_model(str(tmp_path))
    assert "\n" not in str(refused.value)


def test_a_truncated_weight_file_is_damaged(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(BadInput, match="damaged"):
        check_model(str(tmp_path))


def test_a_tokenizer_larger_than_the_model_is_refused(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, vocab_size=259, eos_token_id=257)
    with pytest.raises(BadInput, match="has id 259, the model's vocabulary ends at 258"):
        load_model(str(tmp_path))
