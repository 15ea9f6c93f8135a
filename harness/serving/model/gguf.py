"""Reader for GGUF version 2 and 3 files: fields, and the tensor formats that our one model uses.

Layout: magic, version, counts, fields, tensor headers, padding, tensor data; little-endian throughout.
"""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.serving.model.gguf_blocks import BLOCKS, Floats

_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_STRING, _ARRAY = 8, 9
_NOTHING = np.zeros(0, dtype=np.uint8)  # an empty file cannot be mapped


class DamagedFile(ValueError):
    """The bytes are no GGUF file, or one that ends too early."""


@dataclass(frozen=True, slots=True)
class _Header:
    """Where one tensor lies."""

    shape: tuple[int, ...]  # [out, in] for matrices
    kind: int
    offset: int  # from the start of the data


class GgufFile:
    """A file mapped into memory; `fields` are read at once, tensors when asked for."""

    def __init__(self, path: Path) -> None:
        """Raises DamagedFile or OSError."""
        self._bytes = np.memmap(path, dtype=np.uint8, mode="r") if path.stat().st_size else _NOTHING
        cursor = _Cursor(self._bytes)
        try:
            self.fields, self._headers = _read_front(cursor)
        except (struct.error, UnicodeDecodeError, KeyError) as error:
            raise DamagedFile(f"{path} ends early or is damaged: {error}") from None
        alignment = self.fields.get("general.alignment", 32)
        self._data = math.ceil(cursor.at / alignment) * alignment

    def tensor(self, name: str) -> Floats:
        """float32, in the shape [out, in] that the file states. Raises DamagedFile."""
        header = self._headers.get(name)
        if header is None:
            raise DamagedFile(f"no tensor {name}")
        if header.kind not in BLOCKS:
            raise DamagedFile(f"tensor {name} has format {header.kind}; known are {sorted(BLOCKS)}")
        block = BLOCKS[header.kind]
        size = math.prod(header.shape) // block.values * block.size_bytes
        start = self._data + header.offset
        if start + size > len(self._bytes):
            raise DamagedFile(f"tensor {name} lies beyond the end of the file")
        return block.decode(self._bytes[start : start + size]).reshape(header.shape)


def _read_front(cursor: "_Cursor") -> tuple[dict[str, Any], dict[str, _Header]]:
    magic, version, tensors, fields = cursor.take("<4sIQQ")
    if magic != b"GGUF" or version not in {2, 3}:
        raise DamagedFile(f"not a GGUF file of version 2 or 3: starts with {magic!r}, version {version}")
    values = {cursor.string(): cursor.value(cursor.number("I")) for _ in range(fields)}
    return values, dict(_read_header(cursor) for _ in range(tensors))


def _read_header(cursor: "_Cursor") -> tuple[str, _Header]:
    name = cursor.string()
    innermost_first = cursor.take(f"<{cursor.number('I')}Q")
    kind, offset = cursor.take("<IQ")
    return name, _Header(tuple(reversed(innermost_first)), kind, offset)


class _Cursor:
    """Reads values one after the other."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._data = data.data
        self.at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        """As `struct` reads `form`."""
        values = struct.unpack_from(form, self._data, self.at)
        self.at += struct.calcsize(form)
        return values

    def number(self, code: str) -> Any:
        return self.take(f"<{code}")[0]

    def string(self) -> str:
        length = self.number("Q")
        return bytes(self.take(f"<{length}s")[0]).decode("utf-8")

    def value(self, kind: int) -> Any:
        """A scalar, a string, or a list of either."""
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.number(_SCALARS[kind])
        inner, count = self.take("<IQ")
        if inner in _SCALARS:
            return list(self.take(f"<{count}{_SCALARS[inner]}"))
        return [self.value(inner) for _ in range(count)]
