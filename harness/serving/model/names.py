"""What a model may be called, checked without loading torch."""

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.errors import BadInput, unknown
from harness.serving.model.checkpoint_config import read_checkpoint_config
from harness.serving.model.checkpoint_files import CheckpointFiles
from harness.serving.model.checkpoint_tokenizer import load_checkpoint_tokenizer
from harness.serving.model.damage import refusing_damage
from harness.serving.model.fields import shown
from harness.serving.model.smollm2_file import require_smollm2, smollm2_path


class Source(Enum):
    """Where weights come from."""

    TINY = "tiny"
    SMOLLM2 = "smollm2"
    CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class Located:
    """A model that exists, not yet read. `path` is the GGUF file or the folder; `tiny` needs none."""

    source: Source
    name: str  # what /v1/models shows
    path: Path


MODEL_NAMES = {
    "tiny": "2.3 M parameters over bytes, ships with limplock; writes text like Python's language reference",
    "smollm2": "SmolLM2-135M-Instruct; fetch it once with `limplock models fetch smollm2` (93 MB)",
}
"""Name to one line of meaning; any Llama-architecture checkpoint folder is a model too."""


def locate(name_or_path: str) -> Located:
    """The model that a user means. Raises BadInput, or EnvironmentFault if it is not fetched."""
    if name_or_path == "tiny":
        return Located(Source.TINY, "tiny", Path())
    if name_or_path == "smollm2":
        return Located(Source.SMOLLM2, "smollm2", require_smollm2(smollm2_path()))
    if "\0" in name_or_path:
        raise BadInput(f"model {shown(name_or_path)} holds a zero byte, which no path can")
    try:
        return _locate_folder(name_or_path)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: ~somebody unknown, a loop of links
        raise BadInput(f"model {shown(name_or_path)} cannot be looked up: {_reason(error)}") from None


def _locate_folder(name_or_path: str) -> Located:
    folder = Path(name_or_path).expanduser()
    if not name_or_path or not _means_path(name_or_path, folder):
        raise BadInput(f"{unknown('model', name_or_path, MODEL_NAMES)}, or a checkpoint folder")
    if not folder.is_dir():
        raise BadInput(
            f"model '{name_or_path}' is not a folder; expected one with config.json and *.safetensors"
        )
    return Located(Source.CHECKPOINT, folder.resolve().name, folder)


def check_model(name_or_path: str) -> None:
    """Refuse before anything is started what `load_model` would refuse. Reads no weights.

    Raises BadInput or EnvironmentFault.
    """
    found = locate(name_or_path)
    if found.source is Source.CHECKPOINT:
        with refusing_damage(found.path):
            config = read_checkpoint_config(found.path)
            CheckpointFiles(found.path).require(config)
            load_checkpoint_tokenizer(found.path, config)


def _means_path(name: str, folder: Path) -> bool:
    return folder.exists() or os.sep in name or name.startswith((".", "~"))


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
