"""The real SmolLM2: fetched as a user fetches it, asked a question, alone and among others."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.serving.engine import Sequence
from harness.serving.model.detokenizer import Detokenizer
from harness.serving.model.names import check_model
from harness.serving.model.smollm2_fetch import fetch_smollm2
from harness.serving.torch_engine import TorchEngine

pytestmark = [pytest.mark.real, pytest.mark.network, pytest.mark.timeout(900)]

QUESTIONS = [
    "What is the capital of France?",
    "What is the capital of Italy?",
    "Write one sentence about the sea.",
    "How many legs has a spider?",
]
TOKENS = 12


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> TorchEngine:
    """Fetched into a fresh cache, so that the download itself is under test."""
    folder: Path = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LIMPLOCK_CACHE", str(folder))
        path = fetch_smollm2()
        assert [entry.name for entry in folder.iterdir()] == [path.name]
        check_model("smollm2")
        return TorchEngine.load("smollm2", "cpu", max_num_seqs=16, max_model_len=128)


def question(engine: TorchEngine, text: str, slot: int) -> Sequence:
    return Sequence(engine.tokenizer.chat([{"role": "user", "content": text}]), TOKENS, slot=slot)


def advance(engine: TorchEngine, batch: list[Sequence]) -> None:
    for sequence, token in zip(batch, engine.step(batch), strict=True):
        sequence.tokens.append(token)


def alone(engine: TorchEngine, sequence: Sequence) -> list[int]:
    single = replace(sequence, slot=9, tokens=[])
    for _ in range(TOKENS):
        advance(engine, [single])
    engine.release(9)
    return single.tokens


def test_asked_for_the_capital_of_france_it_names_paris(engine: TorchEngine) -> None:
    sequence = question(engine, QUESTIONS[0], slot=3)
    detokenizer = Detokenizer(engine.tokenizer)
    said = ""
    while len(sequence.tokens) < TOKENS:
        advance(engine, [sequence])
        if sequence.tokens[-1] in engine.tokenizer.eos_ids:
            break
        said += detokenizer.feed(sequence.tokens[-1])
    engine.release(3)
    assert "Paris" in said + detokenizer.flush()
    assert sequence.tokens[-1] in engine.tokenizer.eos_ids


def test_a_batch_of_16_says_what_each_says_alone(engine: TorchEngine) -> None:
    batch = [question(engine, QUESTIONS[i % 4] + " " * (i // 4), slot=i) for i in range(16)]
    for _ in range(TOKENS):
        advance(engine, batch)
    for sequence in batch:
        engine.release(sequence.slot)
    assert [sequence.tokens for sequence in batch] == [alone(engine, sequence) for sequence in batch]


def test_text_survives_its_tokenizer(engine: TorchEngine) -> None:
    text = "Straße 1234, naïve 🦀\n\n\tdef f(): return 'x'"
    ids = engine.tokenizer.encode(text)
    detokenizer = Detokenizer(engine.tokenizer)
    assert engine.tokenizer.decode(ids) == text
    assert "".join(map(detokenizer.feed, ids)) + detokenizer.flush() == text
