"""Many virtual runs in parallel processes. Their number changes nothing but the time that it takes."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol, TypeVar

from harness.errors import BadInput, EnvironmentFault
from harness.interrupts import ENDS
from harness.judging.result import Part
from harness.serving.orphan import die_with_parent

R_co = TypeVar("R_co", bound=Part, covariant=True)
R = TypeVar("R", bound=Part)

END_S = 2.0  # a process ends as soon as it is told, unless it is stopped
AHEAD = 2  # runs handed to each process before it asks for more


class Conducted(Protocol[R_co]):
    """What can be run and judged in a folder. It goes to another process, and its result comes back."""

    def conduct(self, folder: Path, /) -> R_co: ...


def check_jobs(jobs: int | None) -> int:
    """How many processes: as asked, or as many as this process may use cores."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not 1 <= jobs <= 256:
        raise BadInput(f"--jobs must be 1 to 256, got {jobs}")
    return jobs


def conduct_all(runs: Sequence[tuple[Conducted[R], Path]], jobs: int) -> Generator[tuple[int, R], None, None]:
    """Conduct each in its folder. Yields index and result as they come, which is in no order.

    Closing the iterator ends the processes. Raises what a run raises.
    """
    if jobs == 1 or len(runs) == 1:
        for index, (run, folder) in enumerate(runs):
            yield index, run.conduct(folder)
        return
    with _processes(min(jobs, len(runs))) as pool:
        todo = iter(enumerate(runs))
        under_way: dict[Future[R], int] = {}

        def hand_out(number: int) -> None:
            with _signals_held():  # a process starts at the first of these, and must not hear of a Ctrl-C
                for index, (run, folder) in islice(todo, number):
                    under_way[pool.submit(_conduct, run, folder)] = index

        hand_out(AHEAD * min(jobs, len(runs)))
        while under_way:
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            hand_out(len(done))
            for future in done:
                yield under_way.pop(future), future.result()


def _conduct(run: Conducted[R], folder: Path) -> R:
    return run.conduct(folder)


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with the block, whatever ended it, and with the main process."""
    context = multiprocessing.get_context("spawn")
    told, tell = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(told,))
    try:
        yield pool
    except BrokenProcessPool as gone:
        raise EnvironmentFault(
            "a process of ours was killed, perhaps for want of memory. Try fewer --jobs"
        ) from gone
    finally:
        tell.close()
        _end_all()
        pool.shutdown(wait=True, cancel_futures=True)
        told.close()


def _end_all() -> None:
    """See our processes to their end, also one that is stopped."""
    for process in multiprocessing.active_children():
        process.join(END_S)
        if process.is_alive():
            process.kill()


@contextmanager
def _signals_held() -> Iterator[None]:
    """What comes meanwhile is delivered afterwards, to us alone: a process inherits what is held."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(told: Connection) -> None:
    """Ctrl-C reaches the whole group, but the main process decides, and ends us in the middle of a run."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    die_with_parent()
    threading.Thread(target=_end_when_told, args=(told,), name="stop-watch", daemon=True).start()


def _end_when_told(told: Connection) -> None:
    """A pipe that closes wakes everybody; an event would wait for whoever was killed to wake up."""
    with suppress(EOFError, OSError):
        told.recv_bytes()
    os._exit(0)
