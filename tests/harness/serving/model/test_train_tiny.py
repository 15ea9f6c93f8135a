"""The training script learns, and its text is the one it says."""

import pytest
import torch

from harness.serving.model.byte_tokenizer import END_OF_TEXT, ByteTokenizer
from harness.serving.model.decoder import Decoder
from harness.serving.model.tiny import TINY_CONFIG, assemble
from harness.serving.model.train_tiny import PEAK_RATE, batches, corpus, loss_of, rate, train


def test_every_topic_is_an_answer_and_ends() -> None:
    text = corpus()
    assert (text == END_OF_TEXT).sum() > 70
    assert text.max() == END_OF_TEXT
    start = ByteTokenizer().decode(text[:200].tolist())
    assert start.startswith("User: Tell me about assert.\n\nAssistant: The")


def test_targets_are_the_inputs_one_byte_later_and_the_same_seed_cuts_the_same() -> None:
    text = torch.arange(3000, dtype=torch.int16)
    first, again = (list(batches(text, 8, seed=4)) for _ in range(2))
    assert {tuple(inputs.shape) for inputs, _ in first} == {(8, 256), (2, 1024)}
    for (inputs, targets), (same, _) in zip(first, again, strict=True):
        assert torch.equal(inputs + 1, targets)
        assert torch.equal(inputs, same)


def test_the_rate_rises_to_its_peak_and_falls_close_to_nothing() -> None:
    assert rate(0, 1000) == pytest.approx(PEAK_RATE / 100)
    assert rate(100, 1000) == pytest.approx(PEAK_RATE)
    assert rate(999, 1000) < PEAK_RATE / 40


def test_a_few_steps_lower_the_loss_and_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    torch.set_num_threads(1)
    text = torch.tensor([65, 66, 67] * 1000, dtype=torch.int16)
    inputs, targets = text[:255].long().view(1, -1), text[1:256].long().view(1, -1)

    def loss(steps: int) -> float:
        return loss_of(
            Decoder(TINY_CONFIG, assemble(train(text, steps, seed=1)), 1024), inputs, targets
        ).item()

    assert loss(steps=3) < loss(steps=0) - 0.01
    assert "step 3/3  loss 5." in capsys.readouterr().out
