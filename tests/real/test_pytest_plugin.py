"""Whatever ends a test in the middle of its virtual runs: no process of theirs is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
LIMIT_S = 120.0
SOURCE = """
def test_long(limplock):
    limplock.expect(limplock.run(policy="none", seeds=400)).contained()
"""


def started(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """pytest with a test whose runs take minutes, in its own process group."""
    (folder / "test_long.py").write_text(SOURCE)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:asyncio -p no:cacheprovider\n")
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def its_runs(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """Waits until there are two of them."""
    until_s = time.monotonic() + LIMIT_S
    while time.monotonic() < until_s:
        found = psutil.Process(process.pid).children(recursive=True)
        runs = [each for each in found if "spawn_main" in " ".join(each.cmdline())]
        if len(runs) >= 2:
            return runs
        time.sleep(0.1)
    raise AssertionError("no run began")


@pytest.mark.real
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 2), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_leaves_no_process_behind(tmp_path: Path, number: signal.Signals, code: int) -> None:
    process = started(tmp_path)
    runs = its_runs(process)
    os.killpg(process.pid, number)
    process.communicate(timeout=LIMIT_S)
    assert process.returncode == code
    assert not psutil.wait_procs(runs, timeout=LIMIT_S)[1]


@pytest.mark.real
def test_a_time_limit_fails_the_test_and_leaves_no_process_behind(tmp_path: Path) -> None:
    process = started(tmp_path, "--timeout=15")
    runs = its_runs(process)
    said, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 1
    assert "Timeout" in said
    assert not psutil.wait_procs(runs, timeout=LIMIT_S)[1]
