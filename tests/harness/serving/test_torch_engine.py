"""The torch engine: one text per sequence, whoever shares the batch, whichever slot it sits in."""

import random
from collections.abc import Sequence as SequenceOf
from dataclasses import replace

import pytest

from harness.serving.engine import Engine, Sequence
from harness.serving.torch_engine import TorchEngine

PROMPTS = [
    "The assert statement",
    "def f(x):\n    return ",
    "A",
    "User: Tell me about lists.\n\nAssistant: ",
    "Python is a programming language. " * 4,
    "class",
    "An exception is raised when",
    "The for loop",
]


@pytest.fixture(scope="module")
def engine() -> TorchEngine:
    return TorchEngine.load("tiny", "cpu", max_num_seqs=16)


@pytest.fixture(autouse=True)
def nothing_left_over(engine: TorchEngine) -> None:
    for slot in range(engine.max_num_seqs):
        engine.release(slot)


def sequences(engine: Engine, count: int, temperature: float = 0.0, length: int = 24) -> list[Sequence]:
    prompts = [
        engine.tokenizer.encode(PROMPTS[i % len(PROMPTS)] + " " * (i // len(PROMPTS))) for i in range(count)
    ]
    return [Sequence(prompt, length, i, temperature, seed=i) for i, prompt in enumerate(prompts)]


def advance(engine: Engine, batch: SequenceOf[Sequence]) -> None:
    for sequence, token in zip(batch, engine.step(batch), strict=True):
        sequence.tokens.append(token)


def alone(engine: Engine, sequence: Sequence) -> list[int]:
    """What `sequence` generates with nobody else in the engine."""
    single = replace(sequence, slot=0, tokens=[])
    for _ in range(single.max_tokens):
        advance(engine, [single])
    engine.release(0)
    return single.tokens


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_batch_of_16_says_what_each_says_alone(engine: TorchEngine, temperature: float) -> None:
    batch = sequences(engine, 16, temperature)
    expected = [alone(engine, sequence) for sequence in batch]
    for _ in range(24):
        advance(engine, batch)
    assert [sequence.tokens for sequence in batch] == expected


@pytest.mark.parametrize("seed", range(4))
def test_joining_leaving_and_pausing_change_no_text(engine: TorchEngine, seed: int) -> None:
    chance = random.Random(seed)
    waiting = sequences(engine, 24, temperature=0.5 if seed % 2 else 0.0, length=12)
    expected = {id(sequence): alone(engine, sequence) for sequence in waiting}
    running: list[Sequence] = []
    free = list(range(engine.max_num_seqs))
    while waiting or running:
        while waiting and free and chance.random() < 0.5:
            sequence = waiting.pop()
            sequence.slot = free.pop(chance.randrange(len(free)))
            running.append(sequence)
        batch = [sequence for sequence in running if chance.random() < 0.8]
        chance.shuffle(batch)
        advance(engine, batch)
        for sequence in [s for s in running if len(s.tokens) == s.max_tokens]:
            running.remove(sequence)
            engine.release(sequence.slot)
            free.append(sequence.slot)
            assert sequence.tokens == expected[id(sequence)]


def test_an_aborted_sequence_leaves_no_trace_in_its_slot(engine: TorchEngine) -> None:
    first, second = sequences(engine, 2)
    expected = alone(engine, second)
    first.slot = second.slot = 5
    advance(engine, [first])
    advance(engine, [first])
    engine.release(5)
    for _ in range(second.max_tokens):
        advance(engine, [second])
    assert second.tokens == expected


def test_the_seed_decides_a_sampled_text(engine: TorchEngine) -> None:
    sequence = sequences(engine, 1, temperature=1.0)[0]
    texts = {tuple(alone(engine, replace(sequence, seed=seed))) for seed in (1, 1, 2, 3)}
    assert len(texts) == 3


def test_a_context_can_be_filled_to_its_last_position() -> None:
    engine = TorchEngine.load("tiny", "cpu", max_num_seqs=2, max_model_len=16)
    full, beside = Sequence([65] * 14, 3, slot=1), Sequence([66], 3, slot=0)
    expected = alone(engine, beside)
    for _ in range(3):
        advance(engine, [full, beside])
    assert beside.tokens == expected
    with pytest.raises(ValueError, match="slot 1: 17 tokens, the model takes 16"):
        engine.step([full])


def test_lengths_are_capped_by_what_the_model_was_trained_for() -> None:
    assert TorchEngine.load("tiny", "cpu", max_model_len=5000).max_model_len == 1024


@pytest.mark.parametrize(
    ("batch", "complaint"),
    [
        ([Sequence([65], 1, slot=3), Sequence([65], 1, slot=3)], "two sequences share a slot"),
        ([Sequence([65], 1, slot=16)], "slot 16 is not between 0 and 15"),
        ([Sequence([65], 1)], "slot -1 is not between 0 and 15"),
        ([Sequence([], 1, slot=0)], "prompt is empty"),
        ([Sequence([300], 1, slot=0)], "an id outside 0 to 256"),
        ([Sequence([-1], 1, slot=0)], "an id outside 0 to 256"),
        ([Sequence([65] * 1025, 1, slot=0)], "1025 tokens, the model takes 1024"),
        ([Sequence([65], 9, slot=0, tokens=[66])], "slot 0 caches 0 tokens, the sequence expects 1"),
    ],
)
def test_what_would_corrupt_another_sequence_is_refused(
    engine: TorchEngine, batch: list[Sequence], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        engine.step(batch)


def test_a_forgotten_token_is_noticed(engine: TorchEngine) -> None:
    sequence = sequences(engine, 1)[0]
    advance(engine, [sequence])
    engine.step([sequence])
    with pytest.raises(ValueError, match="caches 21 tokens, the sequence expects 20"):
        engine.step([sequence])


def test_a_refused_step_changes_nothing(engine: TorchEngine) -> None:
    sequence = sequences(engine, 1)[0]
    expected = alone(engine, sequence)
    while len(sequence.tokens) < sequence.max_tokens:
        advance(engine, [sequence])
        with pytest.raises(ValueError, match="share a slot"):
            engine.step([sequence, sequence])
    assert sequence.tokens == expected


def test_an_empty_batch_and_an_unused_slot_are_fine(engine: TorchEngine) -> None:
    engine.release(7)
    assert engine.step([]) == []


def test_it_keeps_the_contract_and_names_its_device(engine: TorchEngine) -> None:
    contract: Engine = engine
    assert (contract.name, contract.max_num_seqs, contract.max_model_len) == ("tiny", 16, 1024)
    assert engine.device == "cpu"
    assert contract.tokenizer.eos_ids == {256}
