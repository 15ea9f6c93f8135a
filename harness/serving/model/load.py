"""From a model's name to its weights and tokenizer."""

from dataclasses import dataclass

from harness.serving.engine import Tokenizer
from harness.serving.model.byte_tokenizer import ByteTokenizer
from harness.serving.model.checkpoint import load_checkpoint_weights
from harness.serving.model.checkpoint_config import read_checkpoint_config
from harness.serving.model.checkpoint_tokenizer import load_checkpoint_tokenizer
from harness.serving.model.config import DecoderConfig
from harness.serving.model.damage import refusing_damage
from harness.serving.model.decoder import DecoderWeights
from harness.serving.model.names import Source, locate
from harness.serving.model.smollm2 import load_smollm2
from harness.serving.model.tiny import TINY_CONFIG, tiny_weights


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """Everything an engine needs."""

    name: str
    config: DecoderConfig
    weights: DecoderWeights
    tokenizer: Tokenizer


def load_model(name_or_path: str, device: str = "cpu") -> LoadedModel:
    """The model on a torch `device`. Raises BadInput or EnvironmentFault."""
    found = locate(name_or_path)
    match found.source:
        case Source.TINY:
            return LoadedModel(found.name, TINY_CONFIG, tiny_weights(device), ByteTokenizer())
        case Source.SMOLLM2:
            return LoadedModel(found.name, *load_smollm2(found.path, device))
        case Source.CHECKPOINT:
            with refusing_damage(found.path):
                checkpoint = read_checkpoint_config(found.path)
                weights = load_checkpoint_weights(found.path, checkpoint, device)
                tokenizer = load_checkpoint_tokenizer(found.path, checkpoint)
            return LoadedModel(found.name, checkpoint.decoder, weights, tokenizer)
