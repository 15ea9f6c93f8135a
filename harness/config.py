"""From what people write to what it means. Everything here fails before anything is started."""

import importlib
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from harness.errors import BadInput, unknown
from harness.scenario import Scenario
from harness.serving.loopback_url import loopback_url
from harness.serving.model.names import check_model
from policies.assembly import multiplied
from policies.notation import LONGEST, NotationError, names_of_own, one_line, parse
from policies.presets import PRESETS
from policies.presets.preset import Preset, own_pipeline
from policies.registry import POLICIES

DEVICES = ("auto", "cpu", "cuda")
TOXIPROXY_CHOICES = ("auto", "embedded")

PIPELINE_SUFFIX = ".policy"  # of files
_HOLDS = "It is to hold a pipeline as text: timeout() | retry()"
_WORD = re.compile(r"[\w-]+")

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
    """A preset by its name, or the pipeline that `name` is: as text, or the path of a file with it."""
    if name in PRESETS:
        return PRESETS[name]
    if name.endswith(PIPELINE_SUFFIX):
        return _own(read_pipeline(Path(name)), name)
    if _WORD.fullmatch(name) and name not in POLICIES:
        raise _no_preset(name)
    if "(" not in name and is_file(Path(name)):
        raise BadInput(f"--policy: a file with a pipeline is called NAME{PIPELINE_SUFFIX}, got {name}")
    return _own(name, "--policy")


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a path that no file can have: a pipeline may be longer than a name
        return False


def check_name(path: Path | None) -> None:
    """BadInput for a name that could be written into no result."""
    try:
        str(path).encode()
    except UnicodeEncodeError as wrong:
        raise BadInput(f"the name {str(path)!r} is no UTF-8. Choose another") from wrong


def is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read_pipeline(path: Path) -> str:
    """The text of a pipeline in a file."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would be waited for
            raise BadInput(f"{str(path)!r} is no plain file. {_HOLDS}")
        with path.open(encoding="utf-8-sig") as file:
            return file.read(LONGEST + 1)  # one more is too long, whatever follows
    except UnicodeDecodeError as wrong:
        raise BadInput(f"{path} is no text. {_HOLDS}") from wrong
    except (OSError, ValueError) as wrong:  # ValueError: a path that no file can have
        cause = getattr(wrong, "strerror", None) or wrong
        raise BadInput(f"cannot read {str(path)!r}: {cause}. {_HOLDS}") from wrong


def _no_preset(name: str) -> BadInput:
    """One word that is neither. The list of all policies would be longer than the line."""
    known = {each.casefold(): each for each in (*PRESETS, *POLICIES)}
    closest = get_close_matches(name.casefold().replace("-", "_"), known, n=1, cutoff=0.4)
    hint = f"Closest: {known[closest[0]]}. " if closest else ""
    return BadInput(
        f"unknown policy preset {name!r}. {hint}Presets: {', '.join(PRESETS)}."
        " Or write a pipeline such as 'timeout(ttft=2) | retry()'; `limplock list policies` has what there is"
    )


def _own(text: str, where: str) -> Preset:
    """A pipeline of the user's own. BadInput says where it is wrong."""
    try:
        parse(text)
        preset = own_pipeline(text)
        preset.build(1)
    except NotationError as wrong:
        line = "" if where == "--policy" else f":{text.count(chr(10), 0, wrong.offset) + 1}"
        raise BadInput(f"{where}{line}: {wrong}{_preset_inside(text, wrong.offset)}") from wrong
    except ValueError as wrong:
        raise BadInput(f"{where}: {one_line(str(wrong))}") from wrong
    except Exception as wrong:  # a policy of the user's own that cannot even be put into a pipeline
        if not (names := names_of_own(text)):
            raise
        words = one_line(f"{type(wrong).__name__}: {wrong}")
        raise BadInput(f"{where}: {' or '.join(names)} cannot be put into a pipeline: {words}") from wrong
    return preset


def _preset_inside(text: str, offset: int) -> str:
    """What to do about a preset within a pipeline."""
    name = _WORD.match(text, offset)
    if name is None or name[0] not in PRESETS or name[0] in POLICIES:
        return ""
    return f". {name[0]} is a preset and stands alone: `limplock list pipelines` shows its policies"


def find_presets(names: Sequence[str]) -> list[Preset]:
    """Each once, in the order given."""
    return list({preset.name: preset for preset in map(find_preset, names)}.values())


def stacking(preset: Preset) -> str:
    """One line if attempts multiply in the pipeline of `preset`, else empty."""
    drivers = preset.build(1).drivers
    return f"attempts of one call multiply, {multiplied(drivers)}, budgets aside" if len(drivers) > 1 else ""


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
