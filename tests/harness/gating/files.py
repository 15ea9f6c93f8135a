"""Gates written to a folder and read again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.gating.gate_file import Engine, GateFile
from harness.gating.reading import read_gate_file

LEAST = "version: 1\npolicy: contain\nobjectives:\n  - {id: calm, metric: retry_amplification, max: 1.2}\n"

Read = Callable[..., GateFile]
Refused = Callable[..., list[str]]


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "gate.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path, engine: Engine | None = None) -> list[str]:
    """What is wrong with the file, a line each, without its folder."""
    with pytest.raises(BadInput) as caught:
        read_gate_file(path, engine)
    return [line.replace(f"{path.parent}/", "") for line in str(caught.value).split("\n")]


def objective(entry: str) -> str:
    """A gate with one objective, in line 4."""
    return f"version: 1\npolicy: contain\nobjectives:\n  - {entry}\n"
