"""Memory of a worker process, and how long a pool takes until it serves."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import mean

import aiohttp
import psutil

from bench.report import Figure, Section
from harness.load.prompts import completion_body
from harness.serving.openai_api import COMPLETIONS
from harness.serving.pool import Pool
from harness.serving.worker_process import WorkerConfig

WORKERS = 4
ANSWERS = 8  # at once on each worker before it is weighed: what is allocated lazily counts too
MEGABYTE = 1e6


def measure(model: str = "tiny") -> Section:
    import_s = _import_s()
    return asyncio.run(_measure(model, import_s))


async def _measure(model: str, import_s: float) -> Section:
    configs = [WorkerConfig(name=f"worker-{n}", model=model, device="cpu") for n in range(WORKERS)]
    async with Pool(configs[:1]):
        pass  # now the forkserver has imported what it preloads
    began_s = time.perf_counter()
    async with Pool(configs) as pool:
        ready_s = time.perf_counter() - began_s
        workers = list(pool.workers.values())
        await _use([worker.url for worker in workers])
        memory = [psutil.Process(worker.process.pid).memory_full_info() for worker in workers]
    return Section(
        title=f"worker_memory: {WORKERS} workers from a forkserver that has torch imported",
        how=f"model {model}, cpu; mean of the workers, after each has given {ANSWERS} answers at once",
        figures=(
            Figure(name="resident (rss)", value=mean(m.rss for m in memory) / MEGABYTE, unit="MB a worker"),
            Figure(name="private (uss)", value=mean(m.uss for m in memory) / MEGABYTE, unit="MB a worker"),
            Figure(name=f"until {WORKERS} workers serve", value=ready_s, unit="s"),
            Figure(name="the imports before, once a run", value=import_s, unit="s"),
        ),
    )


def _import_s() -> float:
    """Seconds for a fresh interpreter to import what the forkserver preloads."""
    began_s = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "import harness.serving.worker_process, harness.serving.torch_engine"],
        check=True,
    )
    return time.perf_counter() - began_s


async def _use(urls: Sequence[str]) -> None:
    body = completion_body("a list of all names", 16, seed=1)
    async with aiohttp.ClientSession(raise_for_status=True) as session:

        async def ask(url: str) -> None:
            async with session.post(url + COMPLETIONS, data=body) as response:
                await response.read()

        await asyncio.gather(*(ask(url) for url in urls for _ in range(ANSWERS)))
