"""GGUF files: fields, the four formats of numbers, damage told as damage."""

import struct
from pathlib import Path

import numpy as np
import pytest

from harness.serving.model.gguf import DamagedFile, GgufFile
from tests.harness.serving.model.gguf_files import write_gguf


def test_fields_of_every_kind_are_read(tmp_path: Path) -> None:
    fields = {"name": "é", "count": 3, "scale": 0.5, "flag": True, "words": ["a", "bc"], "numbers": [1, 2, 3]}
    write_gguf(tmp_path / "f.gguf", fields, {})
    assert GgufFile(tmp_path / "f.gguf").fields == fields


def test_plain_floats_keep_shape_and_order(tmp_path: Path) -> None:
    values = np.arange(6, dtype="<f4").reshape(2, 3)
    tensors = {
        "first": ((3,), 0, b"\xff" * 12),  # the second tensor must not start where the first one does
        "wide": ((2, 3), 0, values.tobytes()),
        "half": ((2, 3), 1, values.astype("<f2").tobytes()),
    }
    write_gguf(tmp_path / "f.gguf", {"a": 1}, tensors)
    file = GgufFile(tmp_path / "f.gguf")
    for name in ("wide", "half"):
        assert file.tensor(name).dtype == np.float32
        assert file.tensor(name).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_eight_bits_are_scaled(tmp_path: Path) -> None:
    packed = struct.pack("<e32b", 0.5, *range(-16, 16)) + struct.pack("<e32b", 2.0, *range(32))
    write_gguf(tmp_path / "f.gguf", {"a": 1}, {"w": ((2, 32), 8, packed)})
    expected = [[0.5 * value for value in range(-16, 16)], [2.0 * value for value in range(32)]]
    assert GgufFile(tmp_path / "f.gguf").tensor("w").tolist() == expected


def test_four_bits_are_scaled_and_shifted_low_halves_first(tmp_path: Path) -> None:
    halves = bytes(low | (15 - low) << 4 for low in range(16))
    write_gguf(tmp_path / "f.gguf", {"a": 1}, {"w": ((1, 32), 3, struct.pack("<ee", 0.25, -1.0) + halves)})
    expected = [0.25 * v - 1 for v in range(16)] + [0.25 * (15 - v) - 1 for v in range(16)]
    assert GgufFile(tmp_path / "f.gguf").tensor("w").tolist() == [expected]


def test_a_file_cut_anywhere_in_front_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "f.gguf"
    write_gguf(path, {"name": "value", "words": ["a", "b"]}, {"w": ((1, 4), 0, bytes(16))})
    whole = path.read_bytes()
    front = len(whole) - 32
    for length in range(front - 31):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedFile):
            GgufFile(path)


def test_a_tensor_beyond_the_end_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "f.gguf"
    write_gguf(path, {"a": 1}, {"w": ((4, 16), 0, bytes(256))})
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFile, match="beyond the end"):
        GgufFile(path).tensor("w")


@pytest.mark.parametrize(
    ("name", "complaint"), [("absent", "no tensor absent"), ("w", "format 12; known are")]
)
def test_absent_tensors_and_unknown_formats_are_named(tmp_path: Path, name: str, complaint: str) -> None:
    write_gguf(tmp_path / "f.gguf", {"a": 1}, {"w": ((1, 32), 12, bytes(64))})
    with pytest.raises(DamagedFile, match=complaint):
        GgufFile(tmp_path / "f.gguf").tensor(name)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + bytes(40)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(DamagedFile):
        GgufFile(tmp_path / "f")


def test_another_version_is_refused(tmp_path: Path) -> None:
    write_gguf(tmp_path / "f", {"a": 1}, {}, version=1)
    with pytest.raises(DamagedFile, match="version 1"):
        GgufFile(tmp_path / "f")
