"""Calibrated costs on disk, and the choice between them and the shipped ones."""

import os
import re
import tempfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from harness.errors import EnvironmentFault, unknown
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import SHIPPED, TINY_CPU
from harness.serving.fingerprint import Fingerprint, fingerprint
from harness.serving.model.cache import cache_dir
from harness.serving.model.names import MODEL_NAMES

AUTO, CALIBRATED = "auto", "calibrated"
FORMAT = 2  # raised when the constants change; older files are measured anew
REMEDY = "run `limplock calibrate`"

_Seconds = Annotated[float, msgspec.Meta(ge=0)]
_Ratio = _Seconds
_SomeSeconds = Annotated[float, msgspec.Meta(gt=0)]


class Stored(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: constants in seconds, where and when they were measured, and how well they fit."""

    format: Annotated[int, msgspec.Meta(ge=FORMAT, le=FORMAT)] = FORMAT
    model: str
    device: str
    measured_on: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    machine: Fingerprint
    fixed_s: _SomeSeconds
    sequence_s: _Seconds
    prefill_token_s: _Seconds
    kv_token_s: _Seconds
    hop_s: _Seconds
    link_s: _Seconds
    late_s: _Seconds
    median_error_ratio: _Ratio
    p90_error_ratio: _Ratio
    worst_error_ratio: _Ratio

    def costs(self) -> Costs:
        return Costs(
            name=f"{self.model}_{self.device}_{CALIBRATED}",
            fixed_s=self.fixed_s,
            sequence_s=self.sequence_s,
            prefill_token_s=self.prefill_token_s,
            kv_token_s=self.kv_token_s,
            hop_s=self.hop_s,
            link_s=self.link_s,
            late_s=self.late_s,
            padded=self.device == "cpu",
        )


class _Header(msgspec.Struct):
    """What a file of any format says of itself."""

    format: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """Costs, and one line for people that says where they come from."""

    costs: Costs
    origin: str


def choose_costs(name: str = AUTO, model: str = "tiny", device: str = "cpu") -> Chosen:
    """Costs by name: a shipped set, `calibrated`, or `auto`, which is calibrated where it can be.

    `model` and `device` say which calibration is meant. Raises BadInput for another name, EnvironmentFault if
    `calibrated` is not to be had.
    """
    if name in SHIPPED:
        return Chosen(SHIPPED[name], f"shipped {name}")
    if name not in (AUTO, CALIBRATED):
        raise unknown("cost set", name, [AUTO, CALIBRATED, *SHIPPED])
    found = _read(model, device)
    if isinstance(found, Stored):
        return Chosen(found.costs(), f"calibrated {found.measured_on} on this machine")
    if name == CALIBRATED:
        raise EnvironmentFault(f"no calibrated costs: {found}; {REMEDY}")
    return Chosen(TINY_CPU, f"shipped {TINY_CPU.name}: {found}")


def save_costs(stored: Stored) -> Path:
    """Write the file, whole or not at all. Raises EnvironmentFault."""
    path = costs_path(stored.model, stored.device)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, msgspec.json.format(msgspec.json.encode(stored)) + b"\n")
    except OSError as error:
        raise cannot_write(error) from None
    return path


def require_writable() -> None:
    """Raise EnvironmentFault if the cache takes no files, before anybody measures for nothing."""
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise cannot_write(error) from None


def cannot_write(error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"cannot write to {cache_dir()}: {error.strerror or error}; set LIMPLOCK_CACHE to another folder"
    )


def model_key(model: str) -> str:
    """How a model is called in the store: two checkpoint folders of one name must not be confused."""
    if model in MODEL_NAMES:
        return model
    path = Path(model).expanduser().resolve()
    return f"{re.sub(r'[^A-Za-z0-9._-]', '-', path.name)}-{zlib.crc32(os.fsencode(path)):08x}"


def costs_path(model: str, device: str) -> Path:
    """Where the costs of a model on a device are, or will be. Plain `cuda` is the first GPU, as for torch."""
    place = "cuda:0" if device == "cuda" else device
    return cache_dir() / f"costs-{model_key(model)}-{place.replace(':', '-')}.json"


def _read(model: str, device: str) -> Stored | str:
    """What is stored for this machine, or why nothing of it can be used."""
    path = costs_path(model, device)
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            return f"{path} is no file"
        content = path.read_bytes()
        if msgspec.json.decode(content, type=_Header).format < FORMAT:
            return f"{path.name} is of an older version of limplock, which measured less"
        stored = msgspec.json.decode(content, type=Stored)
    except FileNotFoundError:
        return f"nothing is calibrated here for {model} on {device}"
    except OSError as error:
        return f"{path} cannot be read ({error.strerror or error})"
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"{path} is damaged or of another version of limplock ({error})"
    if stored.machine != fingerprint(device):
        return f"{path.name} was calibrated on another machine or with other versions"
    return stored


def _replace(path: Path, data: bytes) -> None:
    descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except BaseException:  # Ctrl-C too: whatever it is goes on, but leaves no scratch file
        with suppress(OSError):
            os.unlink(scratch)
        raise
