"""`tiny`: 2.3 M parameters over bytes, trained by train_tiny.py on CPython's own language reference.

Six layers of width 192 are the largest that still cost about as much for 16 sequences as for one: a step is
mostly operator overhead, which stands in for the weight reads of a GPU. One key-value head, because attention
over separate caches is the part of a step that does grow with the batch.
"""

from dataclasses import replace
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from harness.errors import EnvironmentFault
from harness.serving.model.byte_tokenizer import VOCAB_SIZE
from harness.serving.model.config import DecoderConfig
from harness.serving.model.decoder import DecoderWeights, LayerWeights

TINY_FILE = Path(__file__).with_name("tiny.safetensors")
TINY_CONFIG = DecoderConfig(
    vocab_size=VOCAB_SIZE,
    layers=6,
    width=192,
    heads=6,
    kv_heads=1,
    head_dim=32,
    ffn_width=512,
    max_positions=1024,
)


def tiny_weights(device: str) -> DecoderWeights:
    """The committed weights, float16 in the file, float32 here. Raises EnvironmentFault if damaged."""
    try:
        stored = load_file(TINY_FILE, device=device)
        weights = assemble({name: tensor.float() for name, tensor in stored.items()})
    except (OSError, SafetensorError, KeyError) as error:
        raise EnvironmentFault(
            f"{TINY_FILE} is missing or damaged ({error}); install limplock again"
        ) from None
    return replace(weights, unembedding=weights.unembedding.contiguous())


def assemble(tensors: dict[str, Tensor]) -> DecoderWeights:
    """Weights from the names that train_tiny.py writes; the embedding is tied."""
    layers = tuple(
        LayerWeights(*(tensors[f"{index}.{part}"] for part in LayerWeights.__slots__))
        for index in range(TINY_CONFIG.layers)
    )
    embedding = tensors["embedding"]
    return DecoderWeights(embedding, layers, embedding.t())
