"""Bytes as tokens: id = byte, plus one id that ends a text."""

from collections.abc import Sequence

END_OF_TEXT = 256
VOCAB_SIZE = 257


class ByteTokenizer:
    """The tokenizer of `tiny`. Every string can be encoded; undecodable bytes become U+FFFD."""

    eos_ids = frozenset({END_OF_TEXT})
    vocabulary_size = VOCAB_SIZE

    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8", errors="replace"))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of `ids`; ids that are no byte are left out."""
        return bytes(i for i in ids if 0 <= i < END_OF_TEXT).decode("utf-8", errors="replace")

    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]:
        """The turns that `tiny` was trained on: `User: ...`, blank line, `Assistant: ...`."""
        turns = [f"{message['role'].capitalize()}: {message['content']}\n\n" for message in messages]
        return self.encode("".join(turns) + "Assistant: ")
