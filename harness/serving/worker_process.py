"""A worker as an OS process of its own: one engine, one torch thread, one event loop.

The process is a child of the forkserver that has torch imported already, which takes 0.2 s and about 50 MB
instead of 5 s and 195 MB. It ends when told to, and by itself when the main process is gone.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from harness.errors import LimplockError
from harness.serving.engine import Engine, Sequence
from harness.serving.http_server import listen
from harness.serving.orphan import die_with_parent
from harness.serving.worker import Compute, Worker
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import WorkerServer

PADDED_NICENESS = 10  # a padded step has time to spare; the callers' clock has none
FAILED = 1  # exit status
SWITCH_INTERVAL_S = 0.001  # default 5 ms: the model's thread would hold up /health for that long


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """What one worker process is to be. `step_floor_s` None takes the device's default.

    `index` counts the workers of a pool from 0: where `device` is `auto` or `cuda`, GPUs go by it.
    """

    name: str
    model: str = "tiny"
    device: str = "auto"
    index: int = 0
    max_num_seqs: int = 8
    max_queue: int = 256
    told: bool = True  # when a caller leaves
    step_floor_s: float | None = None
    cpu_step_floor_s: float = 0.03
    port: int = 0  # 0: a free one


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReady:
    """What a started worker tells its pool."""

    port: int
    model: str
    device: str
    step_floor_s: float


def main(config: WorkerConfig, ready: Connection) -> None:
    """Entry of the process. Sends `WorkerReady`, or one line that says why there is no worker.

    Ends with status FAILED if the worker cannot start or its step loop breaks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the main process decides
    die_with_parent()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    end_in_words(config.name, _serve(config, ready), ready)


def end_in_words(name: str, work: Coroutine[None, None, None], ready: Connection) -> None:
    """Run `work`. If it fails, the pool hears one line and the process exits with FAILED."""
    try:
        asyncio.run(work)
    except Exception as broken:  # whatever torch, a driver or the system raises: nobody is shown a traceback
        with suppress(OSError):  # once the worker has served, nobody listens any more
            ready.send(_line(name, broken))
        sys.exit(FAILED)


def _line(name: str, broken: Exception) -> str:
    if isinstance(broken, LimplockError):
        return str(broken)
    if isinstance(broken, MemoryError):
        return f"{name} ran out of memory"
    said = str(broken).strip().partition("\n")[0]
    return f"{type(broken).__name__}: {said}" if said else type(broken).__name__


async def _serve(config: WorkerConfig, ready: Connection) -> None:
    # Imported here: the main process must not load torch.
    from harness.serving.model.gpu_share import own_device
    from harness.serving.torch_engine import TorchEngine

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    device = own_device(config.device, config.index)
    engine = TorchEngine.load(config.model, device=device, max_num_seqs=config.max_num_seqs)
    floor_s = _floor_s(config, engine.device)
    if floor_s > 0:
        os.nice(PADDED_NICENESS)
    meter = PrometheusMeter(engine.name)
    with ThreadPoolExecutor(1, thread_name_prefix="engine") as thread:
        worker = Worker(
            config.name,
            engine,
            in_thread(thread, engine),
            max_queue=config.max_queue,
            told=config.told,
            step_floor_s=floor_s,
            meter=meter,
        )
        server = await listen(WorkerServer(worker, meter).application(), config.port)
        told = WorkerReady(port=server.port, model=engine.name, device=engine.device, step_floor_s=floor_s)
        ready.send(told)
        try:
            await step_until(stop, worker)
        finally:
            await server.close()


def in_thread(thread: Executor, engine: Engine) -> Compute:
    """Computes steps off the event loop, and says how long each took."""

    async def compute(batch: list[Sequence]) -> tuple[list[int], float]:
        loop = asyncio.get_running_loop()
        started_s = loop.time()
        tokens = await loop.run_in_executor(thread, engine.step, batch)
        return tokens, loop.time() - started_s

    return compute


async def step_until(stop: asyncio.Event, worker: Worker) -> None:
    """Run the step loop until told to stop. Raises what ended it before.

    Without it `/health` would go on answering for a worker that never takes another step.
    """
    steps = asyncio.create_task(worker.run())
    told = asyncio.create_task(stop.wait())
    await asyncio.wait((steps, told), return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if steps.done():
        steps.result()
    steps.cancel()


def _floor_s(config: WorkerConfig, device: str) -> float:
    if config.step_floor_s is not None:
        return config.step_floor_s
    return config.cpu_step_floor_s if device == "cpu" else 0.0
