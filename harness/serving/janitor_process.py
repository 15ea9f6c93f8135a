"""Opening the journal of a run together with the janitor that looks after it."""

import asyncio
import os
import select
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.janitor import UP, clean
from harness.serving.journal import Journal, journal_folder
from harness.serving.journal_entries import is_gone

START_LIMIT_S = 20.0  # 0.3 s on an idle machine
END_LIMIT_S = 15.0  # its tries at a server that does not answer

_ROOT = Path(__file__).parents[2]
_MODULE = "harness.serving.janitor"


@dataclass(frozen=True, slots=True)
class Janitor:
    """The process, and our end of the line that tells it of our own end."""

    process: "subprocess.Popen[bytes]"
    line: socket.socket

    @property
    def pid(self) -> int:
        return self.process.pid

    def runs(self) -> bool:
        return self.process.poll() is None

    async def ready(self) -> None:
        """Wait until it is up. EnvironmentFault if it does not come up."""
        if not await asyncio.to_thread(self._hear):
            raise EnvironmentFault(
                f"the janitor that cleans up after a crash did not start (exit code {self.process.poll()})."
                " Nothing is injected without it: see whether this machine is short of memory"
            )

    async def end(self) -> None:
        """Let it look for what is open, and see it off."""
        self.line.close()
        try:
            await asyncio.to_thread(self.process.wait, END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            await asyncio.to_thread(self.process.wait)

    def _hear(self) -> bool:
        ready, _, _ = select.select([self.line], [], [], START_LIMIT_S)
        return bool(ready) and self.line.recv(len(UP)) == UP


@asynccontextmanager
async def guarded(run: str, folder: Path | None = None) -> AsyncIterator[tuple[Journal, Janitor]]:
    """The journal of `run`, undone by the janitor if this process dies meanwhile.

    Leaving sees that nothing is left open. EnvironmentFault if the journal cannot be written or there can be
    no janitor, CleanupUnverified on leaving. Wait until the janitor is `ready` before anything is injected.
    """
    folder = folder or journal_folder()
    janitor = start_janitor(Journal.path_of(run, folder))
    try:
        journal = Journal(run, folder, janitor.pid)
    except BaseException:
        await janitor.end()
        raise
    journal.guarded = janitor.runs
    why = ""
    try:
        yield journal, janitor
    except CleanupUnverified as unclean:
        why = f"{unclean}. "
        raise
    finally:
        if left := await _close(journal, janitor):
            raise CleanupUnverified(f"{why}Left behind: {left}. See `limplock recover`")


async def _close(journal: Journal, janitor: Janitor) -> str:
    """What is left. What is still open gets one more chance, with the janitor if there still is one."""
    for entry in journal.open:
        if is_gone(entry):
            journal.done(entry)
    journal.close()
    await janitor.end()
    if janitor.process.returncode != 0:
        await clean(journal.path)
    return "; ".join(map(str, journal.open)) if journal.path.exists() else ""


def start_janitor(path: Path) -> Janitor:
    """Before there is a journal at `path`, so that no moment is without one.

    It hears of our end even if it is not up yet. EnvironmentFault if the system cannot start it.
    """
    ours, theirs = socket.socketpair()
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with theirs:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
                [sys.executable, "-P", "-m", _MODULE, str(path), str(os.getpid())],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,  # nobody to tell: what it cannot undo stays in the journal
                cwd="/",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,
            )
        except OSError as wrong:
            ours.close()
            cause = wrong.strerror
            raise EnvironmentFault(f"no janitor could be started: {cause}. Nothing was injected") from wrong
    return Janitor(process, ours)
