"""Where a model runs, and in which number format."""

import torch

from harness.errors import EnvironmentFault, unknown

LARGEST_IN_FLOAT32 = 1_000_000_000  # parameters


def pick_device(name: str) -> str:
    """The torch device for `auto`, `cpu`, `cuda` or `cuda:N`. Raises BadInput or EnvironmentFault."""
    kind, _, number = name.partition(":")
    if kind not in {"auto", "cpu", "cuda"} or (number and not (kind == "cuda" and number.isdecimal())):
        raise unknown("device", name, ["auto", "cpu", "cuda"])
    if kind == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        _require_cuda(int(number or 0), name)
    return name


def _require_cuda(number: int, name: str) -> None:
    """Raise EnvironmentFault unless that many GPUs are usable."""
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if number >= found:
        raise EnvironmentFault(
            f"device '{name}' needs {number + 1} usable GPU(s), torch sees {found}; try --device auto"
        )


def pick_dtype(device: str, parameters: int) -> torch.dtype:
    """float32 wherever it fits, so that greedy text does not depend on who shares the batch.

    Large models on a GPU run in bfloat16, where rounding may tip a near tie between two tokens.
    """
    return torch.bfloat16 if device != "cpu" and parameters > LARGEST_IN_FLOAT32 else torch.float32
