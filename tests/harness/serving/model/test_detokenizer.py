"""Streams of ids become pieces of text that never split a character and add up to the whole."""

import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Subwords
from tokenizers import decoders, models

from harness.serving.engine import Tokenizer
from harness.serving.model.byte_tokenizer import END_OF_TEXT, ByteTokenizer
from harness.serving.model.checkpoint_config import read_checkpoint_config
from harness.serving.model.checkpoint_tokenizer import load_checkpoint_tokenizer
from harness.serving.model.detokenizer import Detokenizer
from harness.serving.model.subword_tokenizer import SubwordTokenizer
from tests.harness.serving.model.checkpoints import write_checkpoint


def pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    detokenizer = Detokenizer(tokenizer)
    return [*(detokenizer.feed(token) for token in ids), detokenizer.flush()]


def test_a_character_appears_with_its_last_byte() -> None:
    tokenizer = ByteTokenizer()
    assert pieces(tokenizer, tokenizer.encode("aé🦀b")) == ["a", "", "é", "", "", "", "🦀", "b", ""]


def test_bytes_that_never_become_a_character_come_out_at_the_end() -> None:
    assert pieces(ByteTokenizer(), [0xF0, 0x9F]) == ["", "", "\ufffd"]


def test_ids_without_text_give_no_piece() -> None:
    assert pieces(ByteTokenizer(), [97, END_OF_TEXT, 98]) == ["a", "", "b", ""]


@pytest.mark.parametrize("seed", range(30))
def test_any_bytes_at_all_add_up_to_the_whole(seed: int) -> None:
    chance = random.Random(seed)
    text = [chance.choice([*b"ab ", *"é🦀€".encode(), chance.randrange(257)]) for _ in range(60)]
    assert "".join(pieces(ByteTokenizer(), text)) == ByteTokenizer().decode(text)


def test_subwords_add_up_to_the_whole(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    tokenizer = load_checkpoint_tokenizer(tmp_path, read_checkpoint_config(tmp_path))
    ids = [*tokenizer.encode("the café, then 🦀"), 257, *tokenizer.encode(" the end")]
    assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids) == "the café, then 🦀 the end"


def test_a_tokenizer_that_drops_the_first_space_keeps_the_others() -> None:
    words = {"▁": 0, "▁a": 1, "▁word": 2, "</s>": 3}
    subwords = Subwords(models.WordLevel(words, unk_token="▁"))  # noqa: S106  # a word, no password
    subwords.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    subwords.add_special_tokens(["</s>"])
    tokenizer = SubwordTokenizer(subwords, frozenset({3}), None)
    ids = [0, 1, 3, 2, 3, 3, 1, 2]
    assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids) == " a word a word"
