"""However the program is ended, and at whatever moment, nothing of it survives."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.real

MOMENTS = 10
RUN_S = 12.0  # a short run with its imports
SHORT_RUN = Path(__file__).parent / "short_run.py"
ROOT = Path(__file__).parents[2]
VERDICTS = (0, 1, 3)  # of a run that was over already
GONE_WITHIN_S = 10.0
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}


@dataclass
class Program:
    """A `limplock` command and every process that descends from it, known by a mark in its environment."""

    mark: str
    process: subprocess.Popen[str]
    cache: Path

    def family(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("LIMPLOCK_TEST_MARK") == self.mark and process.status() != "zombie":
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def wait_until_gone(self) -> list[str]:
        """What is still there after a while; empty is as it should be."""
        give_up = time.monotonic() + GONE_WITHIN_S
        while (family := self.family()) and time.monotonic() < give_up:
            time.sleep(0.05)
        left = [f"{p.pid} {' '.join(p.cmdline())[:120]}" for p in family if p.is_running()]
        return left + [str(path) for path in self.cache.glob("journals/*")]


@pytest.fixture
def start(tmp_path: Path) -> Iterator:
    programs: list[Program] = []

    def start_program(*arguments: str, script: Path | None = None) -> Program:
        mark = uuid.uuid4().hex
        env = os.environ | {"LIMPLOCK_TEST_MARK": mark, "LIMPLOCK_CACHE": str(tmp_path / "cache")}
        what = [str(script)] if script else ["-m", "harness"]
        process = subprocess.Popen(
            [sys.executable, *what, *arguments],
            env=env | {"PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        programs.append(Program(mark, process, tmp_path / "cache"))
        return programs[-1]

    yield start_program
    for program in programs:
        for process in program.family():
            process.kill()
        program.process.communicate()


def moments(how: signal.Signals) -> list[float]:
    """Seconds after the start, spread over the whole of a short run: imports, start, load, fault, drain."""
    rng = random.Random(f"clean-up {how}")
    return [round(RUN_S * (number + rng.random()) / MOMENTS, 2) for number in range(MOMENTS)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", ENDS, ids=lambda how: how.name)
def test_nothing_survives_whenever_it_is_ended(start, how: signal.Signals) -> None:
    toxiproxies = ["embedded", "auto"] if shutil.which("toxiproxy-server") else ["embedded"]
    for number, after_s in enumerate(moments(how)):
        program = start("--toxiproxy", toxiproxies[number % len(toxiproxies)], script=SHORT_RUN)
        time.sleep(after_s)
        if how is signal.SIGINT:
            os.killpg(program.process.pid, how)  # as a terminal does it
        else:
            program.process.send_signal(how)
        out, err = program.process.communicate(timeout=60)
        told = f"{how.name} after {after_s} s: {err}"
        assert program.wait_until_gone() == [], told
        assert "Traceback" not in out + err, told
        # Before the work takes a signal over, and after the work is done, it ends the program by itself.
        assert program.process.returncode in (ENDS[how], -how, *VERDICTS), told


def test_serve_ends_with_its_pool_on_ctrl_c(start) -> None:
    program = start("serve", "--workers", "2", "--toxiproxy", "embedded")
    assert program.process.stdout is not None
    assert "gateway" in program.process.stdout.readline()
    assert len(program.family()) >= 4
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(30) == 0
    assert program.wait_until_gone() == []


def test_a_second_ctrl_c_does_not_skip_the_clean_up(start) -> None:
    program = start("run", "slow_worker", "--toxiproxy", "embedded")
    time.sleep(6)
    for _ in range(5):
        program.process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, err = program.process.communicate(timeout=30)
    assert "stopped and cleaned up" in err
    # Between the end of the clean-up and the end of the program a signal may still find its default.
    assert program.process.returncode in (130, -signal.SIGINT), err
    assert program.wait_until_gone() == []


# report 11: chaostoolkit-lib#189
@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_worker_that_is_stopped_goes_with_the_program_whoever_in_its_group_is_told(
    start, how: signal.Signals, code: int
) -> None:
    program = start("serve", "--workers", "1", "--toxiproxy", "embedded")
    assert "gateway" in program.process.stdout.readline()
    ordered = start("fault", "stopped", "--worker", "0", "--for", "600")
    assert ordered.process.wait(30) == 0, ordered.process.stderr.read()
    assert any(process.status() == psutil.STATUS_STOPPED for process in program.family())
    os.killpg(program.process.pid, how)
    with suppress(ProcessLookupError):
        os.killpg(program.process.pid, how)  # once more, as impatient supervisors do
    assert program.process.wait(30) == code, program.process.stderr.read()
    assert program.wait_until_gone() == []


def test_a_reader_that_leaves_ends_nothing_badly(start) -> None:
    program = start("list", "metrics")
    assert program.process.stdout is not None
    program.process.stdout.close()
    _, err = program.process.communicate(timeout=30)
    assert (program.process.returncode, err) == (0, "")
