"""A copy of the project in which one file is wrong, and pytest in a process of its own to see if it shows.

Each trial is forked from a process that has the libraries but nothing of ours, so it takes seconds less than
a Python that starts anew.
"""

import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

OURS = ("bench", "faults", "harness", "policies", "scenarios", "tests")
LIBRARIES = ("pytest", "hypothesis", "numpy", "scipy.stats", "pydantic", "msgspec", "aiohttp", "rich.console")
OPTIONS = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=line")
OPTIONS += ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # hypothesis is already there
POLL_S = 0.02
PASSED, TIMED_OUT = 0, -1


@contextmanager
def workshop(root: Path) -> Iterator[Path]:
    """A folder with all that tests need. The original is never touched."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.dont_write_bytecode = True  # a mutant is as long as another, and written in the same second
    with tempfile.TemporaryDirectory(prefix="limplock-mutants-") as made:
        copy = Path(made)
        for name in OURS:
            shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(root / "pyproject.toml", copy)
        yield copy


def trial(copy: Path, tests: Sequence[str], limit_s: float) -> int:
    """The exit status of pytest, or TIMED_OUT."""
    pid = os.fork()
    if pid == 0:
        _be_pytest(copy, tests)
    until_s = time.monotonic() + limit_s
    while time.monotonic() < until_s:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(POLL_S)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return TIMED_OUT


def _be_pytest(copy: Path, tests: Sequence[str]) -> None:
    import pytest

    status = 99
    try:
        os.setsid()
        os.chdir(copy)
        with open(os.devnull, "w") as nowhere:  # the descriptor is what counts
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
            del sys.modules[name]
        sys.path.insert(0, str(copy))
        status = int(pytest.main([*OPTIONS, *tests]))
    finally:
        os._exit(status)
