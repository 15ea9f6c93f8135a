"""A worker as an OS process of its own: one engine, one torch thread, one event loop.

The process is a child of the forkserver that has torch imported already, which takes 0.2 s and about 50 MB
instead of 5 s and 195 MB. It ends when told to, and by itself when the main process is gone.
"""

import asyncio
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

from harness.errors import LimplockError
from harness.serving.http_server import listen
from harness.serving.orphan import die_with_parent
from harness.serving.worker import Worker
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import WorkerServer

PADDED_NICENESS = 10  # a padded step has time to spare; the callers' clock has none
SWITCH_INTERVAL_S = 0.001  # default 5 ms: the model's thread would hold up /health for that long


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """What one worker process is to be. `step_floor_s` None takes the device's default."""

    name: str
    model: str = "tiny"
    device: str = "auto"
    max_num_seqs: int = 8
    max_queue: int = 256
    step_floor_s: float | None = None
    cpu_step_floor_s: float = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReady:
    """What a started worker tells its pool."""

    port: int
    model: str
    device: str
    step_floor_s: float


def main(config: WorkerConfig, ready: Connection) -> None:
    """Entry of the process. Sends `WorkerReady`, or one line that says why there is no worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the main process decides
    die_with_parent()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        asyncio.run(_serve(config, ready))
    except LimplockError as known:
        ready.send(str(known))
    except MemoryError:
        ready.send(f"{config.name} ran out of memory while loading '{config.model}'")


async def _serve(config: WorkerConfig, ready: Connection) -> None:
    from harness.serving.torch_engine import TorchEngine  # here: the main process must not load torch

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    engine = TorchEngine.load(config.model, device=config.device, max_num_seqs=config.max_num_seqs)
    floor_s = _floor_s(config, engine.device)
    if floor_s > 0:
        os.nice(PADDED_NICENESS)
    meter = PrometheusMeter(engine.name)
    with ThreadPoolExecutor(1, thread_name_prefix="engine") as thread:
        worker = Worker(
            config.name,
            engine,
            lambda batch: asyncio.get_running_loop().run_in_executor(thread, engine.step, batch),
            max_queue=config.max_queue,
            step_floor_s=floor_s,
            meter=meter,
        )
        server = await listen(WorkerServer(worker, meter).application())
        steps = asyncio.create_task(worker.run())
        told = WorkerReady(port=server.port, model=engine.name, device=engine.device, step_floor_s=floor_s)
        ready.send(told)
        await stop.wait()
        steps.cancel()
        await server.close()


def _floor_s(config: WorkerConfig, device: str) -> float:
    if config.step_floor_s is not None:
        return config.step_floor_s
    return config.cpu_step_floor_s if device == "cpu" else 0.0
