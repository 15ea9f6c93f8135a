"""The pool of worker processes: started together, ended together, each killed and started again alone."""

import asyncio
import multiprocessing
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.process_start import begin
from harness.serving.worker_process import WorkerConfig, WorkerReady, main

START_TIMEOUT_S = 120.0  # a large model on a slow disk takes its time
STOP_TIMEOUT_S = 3.0

_NOT_FOR_US = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_PRELOAD = [
    "harness.serving.torch_engine",
    "harness.serving.worker_process",
    "harness.serving.proxy_guardian",
    "harness.serving.sidecar_process",
    "harness.serving.quick_exit",  # the last to come, the first to go
]


@dataclass(frozen=True, slots=True)
class RunningWorker:
    """A worker process that serves."""

    name: str
    process: BaseProcess
    ready: WorkerReady

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ready.port}"


class Pool:
    """Worker processes by name. Use `async with`: leaving ends them all and checks that they are gone."""

    def __init__(self, configs: Sequence[WorkerConfig]) -> None:
        self._configs = configs
        self._processes: list[BaseProcess] = []
        self._starting: dict[str, asyncio.Task[None]] = {}
        self.workers: dict[str, RunningWorker] = {}

    async def __aenter__(self) -> "Pool":
        context = forkserver_context()
        try:
            started = [self._start(context, config) for config in self._configs]
            for each in started:
                await self._await(*each)
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._end()

    async def kill(self, name: str) -> None:
        """SIGKILL one worker and see that it is gone. One that is just starting again comes up first."""
        if name in self._starting:
            await asyncio.wait([self._starting[name]])
        process = self.workers[name].process
        process.kill()
        if not await asyncio.to_thread(_gone, process, STOP_TIMEOUT_S):
            raise CleanupUnverified(f"{name} (process {process.pid}) still runs after SIGKILL")

    async def restart(self, name: str) -> None:
        """Start a worker that was killed at the port where it was. Returns once it serves.

        Nothing happens if it runs. Who gives up waiting may ask again. EnvironmentFault if it stays away.
        """
        starting = self._starting.get(name)
        if starting is None or starting.done():
            if self.workers[name].process.is_alive():
                return
            starting = self._starting[name] = asyncio.create_task(self._start_again(name))
        await asyncio.shield(starting)

    async def _start_again(self, name: str) -> None:
        config = next(config for config in self._configs if config.name == name)
        port = self.workers[name].ready.port
        await self._await(*self._start(running_context(), replace(config, port=port)))

    async def _await(self, config: WorkerConfig, process: BaseProcess, ready: Connection) -> None:
        told = await asyncio.to_thread(_hear, config, process, ready)
        self.workers[config.name] = RunningWorker(config.name, process, told)

    def _start(
        self, context: multiprocessing.context.ForkServerContext, config: WorkerConfig
    ) -> tuple[WorkerConfig, BaseProcess, Connection]:
        hear, tell = context.Pipe(duplex=False)
        process = context.Process(target=main, args=(config, tell), name=config.name, daemon=True)
        begin(process)
        tell.close()
        self._processes.append(process)
        return config, process, hear

    async def _end(self) -> None:
        for process in self._processes:
            process.terminate()
        await asyncio.shield(asyncio.to_thread(_end_all, self._processes))
        await asyncio.gather(*self._starting.values(), return_exceptions=True)  # ended with its process


def forkserver_context() -> multiprocessing.context.ForkServerContext:
    """The start method for every process of ours, with the forkserver running and torch imported in it.

    Ctrl-C reaches the whole process group, and so do the end of a terminal and the SIGTERM of many a
    supervisor. The forkserver and its children are started with all ignored, so that none is caught half-way;
    the main process decides.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _NOT_FOR_US}
    try:
        forkserver.ensure_running()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return context


def running_context() -> multiprocessing.context.ForkServerContext:
    """The same once the forkserver runs: in the middle of a run no Ctrl-C may be ignored, however briefly."""
    return multiprocessing.get_context("forkserver")


def _hear(config: WorkerConfig, process: BaseProcess, ready: Connection) -> WorkerReady:
    """What a worker says once it is up. EnvironmentFault with the cause if it does not come up."""
    with ready:
        try:
            told = (
                ready.recv() if ready.poll(START_TIMEOUT_S) else f"it was not up after {START_TIMEOUT_S:g} s"
            )
        except EOFError:
            process.join(STOP_TIMEOUT_S)
            told = f"its process ended while starting (exit code {process.exitcode})"
    if isinstance(told, WorkerReady):
        return told
    raise EnvironmentFault(f"{config.name} did not start: {told.rstrip('.')}. See --model and --device")


def _end_all(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        if not _gone(process, STOP_TIMEOUT_S):
            process.kill()
    left = [process for process in processes if not _gone(process, STOP_TIMEOUT_S)]
    if left:
        named = ", ".join(f"{process.name} (process {process.pid})" for process in left)
        raise CleanupUnverified(f"still running after SIGKILL: {named}")


def _gone(process: BaseProcess, timeout_s: float) -> bool:
    process.join(timeout_s)
    return not process.is_alive()
