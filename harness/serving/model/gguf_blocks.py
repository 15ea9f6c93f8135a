"""How GGUF packs numbers: the four formats that SmolLM2's file and its relatives use."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Block:
    """`values` numbers packed into `size_bytes`."""

    values: int
    size_bytes: int
    decode: Callable[[Bytes], Floats]


def _float32(packed: Bytes) -> Floats:
    return packed.view("<f4").astype(np.float32)


def _float16(packed: Bytes) -> Floats:
    return packed.view("<f2").astype(np.float32)


def _q8_0(packed: Bytes) -> Floats:
    """A float16 scale, then 32 signed bytes: value = scale * byte."""
    rows = packed.reshape(-1, 34)
    scale = rows[:, :2].copy().view("<f2").astype(np.float32)
    values: Floats = scale * rows[:, 2:].view(np.int8)
    return values.ravel()


def _q4_1(packed: Bytes) -> Floats:
    """Float16 scale and minimum, then 16 bytes: low halves are values 0 to 15, high halves 16 to 31."""
    rows = packed.reshape(-1, 20)
    scale, least = np.split(rows[:, :4].copy().view("<f2").astype(np.float32), 2, axis=1)
    halves = np.concatenate([rows[:, 4:] & 15, rows[:, 4:] >> 4], axis=1)
    values: Floats = scale * halves + least
    return values.ravel()


BLOCKS = {
    0: Block(1, 4, _float32),
    1: Block(1, 2, _float16),
    3: Block(32, 20, _q4_1),
    8: Block(32, 34, _q8_0),
}
"""By the number that a tensor header gives."""
