"""The `toxiproxy-server` program as a process of ours: started, found, tied to the life of its starter."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

import psutil

_LISTEN_LIMIT_S = 10.0
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def start(path: str, seed: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """The program on a free port of its own choice, in a session of its own so that Ctrl-C spares it."""
    return subprocess.Popen(  # noqa: S603 - the path is what the user has on PATH
        [path, "-host", "127.0.0.1", "-port", "0", "-seed", str(seed)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, "LOG_LEVEL": "fatal"},  # it would log every connection
        start_new_session=True,
        preexec_fn=_die_with(os.getpid()),
    )


def _die_with(guardian: int) -> Callable[[], None] | None:
    """Runs in the new process before the program: on Linux the kernel kills it when its guardian dies.

    Safe here although `preexec_fn` is not in general: this process has only its main thread.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:  # it died before the call
            os._exit(1)

    return tie


def listening(program: subprocess.Popen[bytes], log: IO[bytes], over: Callable[[], bool]) -> int | str:
    """The port that this very process listens on, or one line that says why there is none.

    Asked of the operating system, so it is never the port of another server. Gives up when `over`.
    """
    deadline_s = time.monotonic() + _LISTEN_LIMIT_S
    while time.monotonic() < deadline_s and not over():
        if program.poll() is not None:
            return f"it ended at once with exit code {program.returncode}: {_last_line(log)}"
        with suppress(psutil.NoSuchProcess):
            for socket in psutil.Process(program.pid).net_connections("tcp"):
                if socket.status == psutil.CONN_LISTEN:
                    return int(socket.laddr.port)
        time.sleep(0.01)
    return f"it did not listen within {_LISTEN_LIMIT_S:g} s"


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
