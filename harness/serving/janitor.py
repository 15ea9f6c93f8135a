"""The janitor: a process beside each run that undoes what its journal has open once the run is gone.

It holds the end of a pipe that the kernel closes however the run ended. It has a session of its own and
ignores every signal that can be ignored. `python -m harness.serving.janitor PATH PID` starts it.
"""

import asyncio
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from harness.serving.journal_reading import read_journal
from harness.serving.process_identity import is_stopped
from harness.serving.synced_file import remove
from harness.serving.undoing import undo_all, weaken_all

UP = b"up"
STOPPED_S = 3.0  # as long as the lease of a fault: a run that is stopped does not renew it
TRIES = 3  # a server that does not answer now may do so soon
PAUSE_S = 0.2

_LOOK_S = 0.5


def main(path: Path, run: int) -> None:
    """Say that we are up, wait for the end of standard input, undo. `run`: the process that we look after."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    with suppress(BrokenPipeError):  # it is gone already
        os.write(1, UP)
    _wait(path, run)
    asyncio.run(clean(path))


async def clean(path: Path) -> bool:
    """Undo what is open and take the journal away. What is left of it stays for `limplock recover`."""
    for _ in range(TRIES):
        try:
            found = read_journal(path)
        except FileNotFoundError:
            remove(path)  # its beginning may be there
            return True
        if found.damage:
            return False
        if not await undo_all(found.left):
            remove(path)
            return True
        await asyncio.sleep(PAUSE_S)
    return False


def _wait(path: Path, run: int) -> None:
    """Until the end of standard input. Meanwhile a run that is stopped must not hold its faults."""
    stopped_s: float | None = None
    while not select.select([0], [], [], _LOOK_S)[0]:
        if not is_stopped(run):
            stopped_s = None
        elif stopped_s is None:
            stopped_s = time.monotonic()
        elif time.monotonic() - stopped_s > STOPPED_S:
            with suppress(FileNotFoundError):
                asyncio.run(weaken_all(read_journal(path).left))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
