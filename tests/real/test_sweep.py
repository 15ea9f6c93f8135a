"""A sweep in real processes: their number changes nothing; a signal ends them all and keeps what is done."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
GIVE_UP_S = 120.0
SMALL = "--policy none --load 0.3 --factor 2,8 --seeds 2 --refine 1 --costs tiny_cpu".split()


def start(out: Path, mark: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "sweep", "slow_worker", *arguments, "--out", str(out)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "LIMPLOCK_TEST_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def family(mark: str) -> list[str]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("LIMPLOCK_TEST_MARK") == mark and process.status() != "zombie":
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def finished(out: Path) -> list[str]:
    path = out / "sweep.jsonl"
    return sorted(path.read_text().splitlines()) if path.exists() else []


def test_the_number_of_processes_and_an_interruption_change_no_row(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    whole = start(one, "", *SMALL, "--jobs", "1")
    shown, _ = whole.communicate(timeout=GIVE_UP_S)
    assert whole.returncode == 0

    mark = uuid.uuid4().hex
    cut = start(two, mark, *SMALL, "--jobs", "2")
    give_up = time.monotonic() + GIVE_UP_S
    while not finished(two) and time.monotonic() < give_up:
        time.sleep(0.02)
    cut.send_signal(signal.SIGINT)
    partial, said = cut.communicate(timeout=GIVE_UP_S)
    assert cut.returncode == 130
    assert "PARTIAL" in partial
    assert "Go on: limplock sweep slow_worker --policy=none --load=0.3" in said
    assert family(mark) == []
    assert sorted(path.name for path in two.iterdir()) == ["sweep.json", "sweep.jsonl"]
    assert 1 <= len(finished(two)) < len(finished(one)) == 6

    rest = start(two, "", *SMALL, "--jobs", "2")
    again, _ = rest.communicate(timeout=GIVE_UP_S)
    assert rest.returncode == 0
    assert finished(two) == finished(one)
    assert again.splitlines()[1:-1] == shown.splitlines()[1:-1]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sigterm_ends_it_in_order(tmp_path: Path, jobs: str) -> None:
    mark = uuid.uuid4().hex
    program = start(tmp_path / "out", mark, *SMALL, "--jobs", jobs)
    give_up = time.monotonic() + GIVE_UP_S
    while not finished(tmp_path / "out") and time.monotonic() < give_up:
        time.sleep(0.02)
    program.terminate()
    shown, said = program.communicate(timeout=GIVE_UP_S)
    assert program.returncode == 143
    assert "danger zone" in shown
    assert "Traceback" not in said
    assert family(mark) == []
