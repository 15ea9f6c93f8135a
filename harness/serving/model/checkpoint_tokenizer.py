"""tokenizer.json of a checkpoint folder, with the chat template that lies beside it."""

from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Subwords

from harness.errors import BadInput
from harness.serving.model.chat_template import ChatTemplate
from harness.serving.model.checkpoint_config import CheckpointConfig
from harness.serving.model.fields import read_json, shown
from harness.serving.model.subword_tokenizer import SubwordTokenizer


def load_checkpoint_tokenizer(folder: Path, config: CheckpointConfig) -> SubwordTokenizer:
    """Raises BadInput for a missing or damaged file, or a vocabulary larger than the model's."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise BadInput(f"{path} is missing; other tokenizer formats are not read")
    try:
        subwords = Subwords.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise BadInput(f"{path} is damaged: {error}") from None
    tokenizer = SubwordTokenizer(subwords, config.eos_ids, _template(folder))
    largest = tokenizer.vocabulary_size - 1
    if largest >= config.decoder.vocab_size:
        raise BadInput(
            f"{path} has id {largest}, the model's vocabulary ends at {config.decoder.vocab_size - 1}"
        )
    return tokenizer


def _template(folder: Path) -> ChatTemplate | None:
    """From chat_template.jinja, or from tokenizer_config.json; a model need not have one."""
    settings_path = folder / "tokenizer_config.json"
    settings = read_json(settings_path) if settings_path.exists() else {}
    own_file = folder / "chat_template.jinja"
    source = _text(own_file) if own_file.exists() else _named(settings.get("chat_template"), settings_path)
    if source is None:
        return None
    specials = {
        name: _content(settings.get(name)) for name in ("bos_token", "eos_token", "pad_token", "unk_token")
    }
    return ChatTemplate(source, specials)


def _text(path: Path) -> str:
    if not path.is_file():
        raise BadInput(f"{path} is not a file")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None


def _named(value: object, path: Path) -> str | None:
    """One template, or the one called `default` of several."""
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        chosen = [entry.get("template", entry) for entry in value if entry.get("name") == "default"]
        value = chosen[0] if chosen else None
    if not isinstance(value, str | None):
        raise BadInput(f"{path}: chat_template must be text or named texts, found {shown(value)}")
    return value


def _content(token: Any) -> str:
    """A special token is written as text or as an object holding it."""
    return str((token.get("content") if isinstance(token, dict) else token) or "")
