"""The committed weights: small, whole, and able to write."""

import re
from pathlib import Path
from pydoc_data.topics import topics

import pytest
import torch

from harness.errors import EnvironmentFault
from harness.serving.engine import Sequence
from harness.serving.model import tiny
from harness.serving.model.tiny import TINY_CONFIG, TINY_FILE, tiny_weights
from harness.serving.torch_engine import TorchEngine


def continuation(prompt: str, tokens: int, temperature: float = 0.0) -> str:
    engine = TorchEngine.load("tiny", "cpu", max_num_seqs=1)
    sequence = Sequence(engine.tokenizer.encode(prompt), tokens, slot=0, temperature=temperature, seed=1)
    for _ in range(tokens):
        sequence.tokens += engine.step([sequence])
    return engine.tokenizer.decode(sequence.tokens)


def test_the_file_is_small_and_has_the_stated_size() -> None:
    assert TINY_FILE.stat().st_size <= 6_000_000
    assert 2.2e6 < TINY_CONFIG.parameters < 2.6e6


@pytest.mark.parametrize("temperature", [0.0, 0.7])
@pytest.mark.parametrize("prompt", ["The assert statement ", "User: Tell me about lists.\n\nAssistant: "])
def test_it_writes_words_of_the_text_that_it_learnt(prompt: str, temperature: float) -> None:
    known = set(re.findall(r"[a-z]+", " ".join(topics.values()).lower()))
    words = re.findall(r"[a-z]+", continuation(prompt, 160, temperature).lower())[:-1]  # the last may be cut
    assert len(words) >= 12
    assert sum(word in known for word in words) / len(words) >= 0.85


def test_a_damaged_installation_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiny, "TINY_FILE", tmp_path / "absent.safetensors")
    with pytest.raises(EnvironmentFault, match=r"missing or damaged .*; install limplock again"):
        tiny_weights("cpu")
    (tmp_path / "absent.safetensors").write_bytes(TINY_FILE.read_bytes()[:1000])
    with pytest.raises(EnvironmentFault, match="install limplock again"):
        tiny_weights("cpu")


def test_the_weights_are_shared_by_input_and_output() -> None:
    weights = tiny_weights("cpu")
    assert torch.equal(weights.unembedding, weights.embedding.t())
