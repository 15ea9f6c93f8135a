"""The tokenizer that a GGUF file describes, rebuilt: byte-level pairs as in GPT-2, digits one by one."""

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as Subwords

from harness.serving.model.chat_template import ChatTemplate
from harness.serving.model.gguf import DamagedFile
from harness.serving.model.subword_tokenizer import SubwordTokenizer

_CONTROL = 3  # token type: never part of a text


def gguf_tokenizer(fields: Mapping[str, Any]) -> SubwordTokenizer:
    """Raises DamagedFile for another kind of tokenizer, KeyError for a missing field."""
    kind = fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"]
    if kind != ("gpt2", "smollm"):
        raise DamagedFile(f"tokenizer {kind} instead of ('gpt2', 'smollm')")
    tokens: list[str] = fields["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ", 1)) for pair in fields["tokenizer.ggml.merges"]]
    subwords = Subwords(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    subwords.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    subwords.decoder = decoders.ByteLevel()
    types = fields["tokenizer.ggml.token_type"]
    control = [token for token, kind in zip(tokens, types, strict=True) if kind == _CONTROL]
    subwords.add_special_tokens([AddedToken(token, normalized=False) for token in control])
    return SubwordTokenizer(subwords, _eos_ids(fields, tokens), _template(fields, tokens))


def _eos_ids(fields: Mapping[str, Any], tokens: list[str]) -> frozenset[int]:
    """The end of a turn, and the end of a text that is no conversation."""
    return frozenset({fields["tokenizer.ggml.eos_token_id"], tokens.index("<|endoftext|>")})


def _template(fields: Mapping[str, Any], tokens: list[str]) -> ChatTemplate:
    specials = {name: tokens[fields[f"tokenizer.ggml.{name}_id"]] for name in ("bos_token", "eos_token")}
    return ChatTemplate(fields["tokenizer.chat_template"], specials)
