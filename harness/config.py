"""From what people write to what it means. Everything here fails before anything is started."""

import importlib
from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput, unknown
from harness.scenario import Scenario
from harness.serving.loopback_url import loopback_url
from harness.serving.model.names import check_model
from policies.presets import PRESETS, Preset

DEVICES = ("auto", "cpu", "cuda")
TOXIPROXY_CHOICES = ("auto", "embedded")

COMPARED = ("none", "timeout_breaker_shed")  # presets: what spreads and what contains


def scenarios() -> dict[str, Scenario]:
    """All scenarios, got by name: nothing in the harness depends on them."""
    found: dict[str, Scenario] = importlib.import_module("scenarios").SCENARIOS
    return found


def find_scenario(name: str) -> Scenario:
    known = scenarios()
    if name not in known:
        raise unknown("scenario", name, known)
    return known[name]


def find_preset(name: str) -> Preset:
    if name not in PRESETS:
        raise unknown("policy preset", name, PRESETS)
    return PRESETS[name]


def find_presets(names: Sequence[str]) -> list[Preset]:
    """Each once, in the order given."""
    return [find_preset(name) for name in dict.fromkeys(names)]


def check_device(name: str) -> str:
    if name not in DEVICES:
        raise unknown("device", name, DEVICES)
    return name


def check_toxiproxy(choice: str) -> str:
    """`auto`, `embedded`, or the URL of a server on loopback."""
    if choice in TOXIPROXY_CHOICES:
        return choice
    if "://" not in choice:
        raise unknown(
            "--toxiproxy value", choice, [*TOXIPROXY_CHOICES, "a URL such as http://127.0.0.1:8474"]
        )
    return loopback_url("--toxiproxy", choice)


def check_stand(model: str, device: str, toxiproxy: str) -> None:
    """What `run`, `demo` and `serve` share."""
    check_model(model)
    check_device(device)
    check_toxiproxy(toxiproxy)


def make_folder(path: Path) -> Path:
    """The folder, made if need be. BadInput if nothing can be written there."""
    try:
        return make_writable(path)
    except OSError as wrong:
        raise BadInput(
            f"cannot write to {path}: {wrong.strerror}. Choose another folder with --out"
        ) from wrong


def make_writable(path: Path) -> Path:
    """The folder, made if need be. OSError if nothing can be written there."""
    path.mkdir(parents=True, exist_ok=True)
    probe = path / ".writable"
    probe.touch()
    probe.unlink(missing_ok=True)  # another process may try the same folder at the same time
    return path
