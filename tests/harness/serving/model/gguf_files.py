"""Writes GGUF files for tests: fields, and tensors that are packed already."""

import struct
from pathlib import Path
from typing import Any

_KIND_OF = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}
ALIGNMENT = 32


def write_gguf(
    path: Path,
    fields: dict[str, Any],
    tensors: dict[str, tuple[tuple[int, ...], int, bytes]],
    version: int = 3,
) -> None:
    """`tensors`: name to (shape [out, in], format number, packed bytes)."""
    front = struct.pack("<4sIQQ", b"GGUF", version, len(tensors), len(fields))
    front += b"".join(_string(name) + _typed(value) for name, value in fields.items())
    data = b""
    for name, (shape, kind, packed) in tensors.items():
        front += _string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        front += struct.pack("<IQ", kind, len(data))
        data += _padded(packed)
    path.write_bytes(_padded(front) + data)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % ALIGNMENT)


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _typed(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if isinstance(value, list):
        packed = [_typed(item) for item in value]
        kind = packed[0][:4]
        return struct.pack("<I", 9) + kind + struct.pack("<Q", len(value)) + b"".join(p[4:] for p in packed)
    kind, code = _KIND_OF[type(value)]
    return struct.pack(f"<I{code}", kind, value)
