"""The training script learns, and its text is the one it says."""

import re

import pytest
import torch

from harness.serving.model.byte_tokenizer import END_OF_TEXT, ByteTokenizer
from harness.serving.model.decoder import Decoder
from harness.serving.model.tiny import TINY_CONFIG, TINY_FILE, assemble
from harness.serving.model.train_tiny import (
    batches,
    corpus,
    initial_tensors,
    loss_of,
    rate,
    stored_tensors,
    train,
)


def test_every_topic_is_an_answer_and_ends() -> None:
    text = corpus()
    assert (text == END_OF_TEXT).sum() > 70
    assert text.max() == END_OF_TEXT
    start = ByteTokenizer().decode(text[:200].tolist())
    assert start.startswith("User: Tell me about assert.\n\nAssistant: The")
    assert not re.search(r"^\*+$", ByteTokenizer().decode(text.tolist()), re.MULTILINE)


def test_targets_are_the_inputs_one_byte_later_and_the_same_seed_cuts_the_same() -> None:
    text = torch.arange(3000, dtype=torch.int16)
    first, again = (list(batches(text, 8, seed=4)) for _ in range(2))
    assert {tuple(inputs.shape) for inputs, _ in first} == {(8, 256), (2, 1024)}
    for (inputs, targets), (same, _) in zip(first, again, strict=True):
        assert torch.equal(inputs + 1, targets)
        assert torch.equal(inputs, same)


def test_the_rate_rises_to_its_peak_and_falls_close_to_nothing() -> None:
    assert rate(0, 1000) == pytest.approx(0.01)
    assert rate(100, 1000) == pytest.approx(1.0)
    assert rate(999, 1000) < 0.025


def test_a_few_steps_lower_the_loss_and_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    torch.set_num_threads(1)
    text = torch.tensor([65, 66, 67] * 1000, dtype=torch.int16)
    inputs, targets = text[:255].long().view(1, -1), text[1:256].long().view(1, -1)

    def loss(tensors: dict[str, torch.Tensor]) -> float:
        return loss_of(Decoder(TINY_CONFIG, assemble(tensors), 1024), inputs, targets).item()

    torch.manual_seed(1)  # whatever ran before must not choose the weights
    tensors = initial_tensors()
    before = loss(tensors)
    train(tensors, text, steps=2, peak=0.1, seed=1)
    assert loss(tensors) < before - 0.1
    assert capsys.readouterr().out.startswith("step 2/2  loss ")


def test_training_can_go_on_from_the_committed_weights() -> None:
    tensors = stored_tensors(TINY_FILE)
    assert all(tensor.is_leaf and tensor.requires_grad for tensor in tensors.values())
    assert {name: tensor.shape for name, tensor in tensors.items()} == {
        name: tensor.shape for name, tensor in initial_tensors().items()
    }
