"""A number and a start mean one process, and no signal reaches another."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from harness.serving.process_identity import boot, is_stopped, runs, send, started_s

pytestmark = pytest.mark.real


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_process_runs_until_it_ends_and_a_zombie_does_not(child: "subprocess.Popen[bytes]") -> None:
    start_s = started_s(child.pid)
    assert start_s is not None
    assert runs(child.pid, start_s)
    assert send(signal.SIGKILL, child.pid, start_s)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet taken away
    assert not runs(child.pid, start_s)
    assert not send(signal.SIGKILL, child.pid, start_s)


def test_another_process_of_the_same_number_is_never_signalled(child: "subprocess.Popen[bytes]") -> None:
    start_s = started_s(child.pid)
    assert start_s is not None
    assert not send(signal.SIGKILL, child.pid, start_s - 1.0)
    assert child.poll() is None


def test_what_is_stopped_is_told_from_what_runs(child: "subprocess.Popen[bytes]") -> None:
    assert not is_stopped(child.pid)
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    assert is_stopped(child.pid)


def test_a_number_that_nobody_has_is_no_process() -> None:
    assert started_s(2**22 + 1) is None
    assert not is_stopped(2**22 + 1)


def test_a_boot_has_one_name() -> None:
    assert boot() == boot()
