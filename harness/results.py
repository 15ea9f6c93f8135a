"""Where a run leaves its files: one folder per scenario and preset, and `latest` pointing at the newest."""

import hashlib
import os
import re
import time
import uuid
from pathlib import Path

from harness.config import make_folder
from harness.history_file import cannot_write
from harness.judging.result import RunResult

ROOT = Path("limplock-results")
RESULT = "result.json"
HISTORY = "history.jsonl"
LONGEST_START = 60  # characters of a pipeline in the name of a folder
_PLAIN = re.compile(r"[A-Za-z_]\w*(\.\d+)?", re.ASCII)


def new_folder(out: Path | None) -> Path:
    """`out`, or a new folder named after the time below `ROOT`."""
    if out is not None:
        return make_folder(out)
    stamp = time.strftime("%Y%m%d-%H%M%S")  # a name for people, not a measurement
    folder = make_folder(ROOT / f"{stamp}-{uuid.uuid4().hex[:4]}")
    _point_latest_at(folder)
    return folder


def run_folder(folder: Path, scenario: str, preset: str, fault: str = "") -> Path:
    """`preset` and `fault` may be whole texts, which are shortened and told from others by their digests."""
    words = [scenario, file_name(preset), *([file_name(fault)] if fault else [])]
    return make_folder(folder / ".".join(words))


def file_name(preset: str) -> str:
    """A short word of ASCII letters, digits and `-_.=`, different for different presets and pipelines."""
    if len(preset) <= LONGEST_START and _PLAIN.fullmatch(preset):
        return preset
    start = "-".join(re.findall(r"[\w.=]+", preset, re.ASCII))[:LONGEST_START].lstrip(".")
    return f"{start}-{hashlib.sha256(preset.encode()).hexdigest()[:8]}"


def write_result(folder: Path, result: RunResult) -> Path:
    return write_text(folder / RESULT, result.to_json() + "\n")


def write_text(path: Path, text: str) -> Path:
    """EnvironmentFault, in one line, where it cannot be written."""
    try:
        path.write_text(text)
    except OSError as wrong:
        raise cannot_write(path, wrong) from wrong
    return path


def _point_latest_at(folder: Path) -> None:
    """Replaced in one step; a file system without links does without."""
    link = ROOT / f".latest-{uuid.uuid4().hex[:8]}"
    try:
        link.symlink_to(folder.name)
        os.replace(link, ROOT / "latest")
    except OSError:
        link.unlink(missing_ok=True)
