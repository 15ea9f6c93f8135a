"""The rotary fields of config.json: `rope_theta` with `rope_scaling`, or `rope_parameters` holding both."""

from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.serving.model.config import LinearScaling, Llama3Scaling
from harness.serving.model.fields import count, number, shown

DEFAULT_THETA = 10_000.0
_KINDS: dict[str, set[str]] = {
    "default": set(),
    "linear": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
}


def read_rope(raw: dict[str, Any], path: Path) -> tuple[float, LinearScaling | Llama3Scaling | None]:
    """(base, scaling). Raises BadInput for a kind of scaling that is not implemented."""
    fields = {**_object(raw, "rope_scaling", path), **_object(raw, "rope_parameters", path)}
    thetas = (fields.pop("rope_theta", None), raw.get("rope_theta"), DEFAULT_THETA)
    theta = next(theta for theta in thetas if theta is not None)
    older = fields.pop("type", "default")
    kind = fields.pop("rope_type", older)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise BadInput(f"{path}: rotary scaling {shown(kind)} is not supported; only {', '.join(_KINDS)}")
    _require(fields, _KINDS[kind], kind, path)
    numbers = {name: number(value, name, path) for name, value in fields.items()}
    if kind == "llama3":
        count(fields["original_max_position_embeddings"], "original_max_position_embeddings", path)
        if not numbers["low_freq_factor"] < numbers["high_freq_factor"]:
            raise BadInput(f"{path}: low_freq_factor must be below high_freq_factor")
    return number(theta, "rope_theta", path), _scaling(kind, numbers)


def _object(raw: dict[str, Any], key: str, path: Path) -> dict[str, Any]:
    value = raw.get(key)
    if not isinstance(value, dict | None):
        raise BadInput(f"{path}: {key} must be an object, found {shown(value)}")
    return value or {}


def _scaling(kind: str, numbers: dict[str, float]) -> LinearScaling | Llama3Scaling | None:
    match kind:
        case "linear":
            return LinearScaling(numbers["factor"])
        case "llama3":
            return Llama3Scaling(
                factor=numbers["factor"],
                low_freq_factor=numbers["low_freq_factor"],
                high_freq_factor=numbers["high_freq_factor"],
                original_max_positions=int(numbers["original_max_position_embeddings"]),
            )
        case _:
            return None


def _require(fields: dict[str, Any], names: set[str], kind: str, path: Path) -> None:
    """Exactly these fields: a missing one cannot be guessed, another one might change the maths."""
    if set(fields) != names:
        expected = ", ".join(sorted(names)) or "no field"
        raise BadInput(
            f"{path}: rotary scaling {kind!r} takes {expected}; found {', '.join(sorted(fields)) or 'none'}"
        )
