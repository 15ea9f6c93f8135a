"""Subword vocabularies: everything but `tiny`."""

from collections.abc import Sequence

from tokenizers import Tokenizer as Subwords

from harness.errors import BadInput
from harness.serving.model.chat_template import ChatTemplate


class SubwordTokenizer:
    """Wraps a `tokenizers` object. Encoding adds the special tokens that the model's own files ask for."""

    def __init__(self, subwords: Subwords, eos_ids: frozenset[int], template: ChatTemplate | None) -> None:
        subwords.no_truncation()  # files may carry the limits of their training run
        subwords.no_padding()
        self.eos_ids = eos_ids
        self.vocabulary_size = 1 + max(subwords.get_vocab().values(), default=-1)
        self._subwords = subwords
        self._template = template

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._subwords.encode(text).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Text of `ids`, special tokens left out."""
        text: str = self._subwords.decode(list(ids), skip_special_tokens=True)
        return text

    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]:
        """Ids of a conversation, ready for the assistant to answer. Raises BadInput without a template."""
        if self._template is None:
            raise BadInput("this model has no chat template; use /v1/completions")
        ids: list[int] = self._subwords.encode(self._template.render(messages), add_special_tokens=False).ids
        return ids
