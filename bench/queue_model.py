"""Requests per CPU second of one queue model on the virtual loop, in SimPy and on a plain heap.

What the loop costs that runs the same code as real runs, against a simulator made for the purpose and against
the least that such a model can cost in Python. All three get the same draws and must count the same.
"""

import asyncio
import time
from statistics import median

from bench.interleave import Measure, median_ratio, take_turns
from bench.queue_engines import ENGINES, LOAD, TIMEOUT_S, WORKERS, Draws, Engine, draw
from bench.report import Figure, Section
from harness.quiet_collector import quiet_collector

REQUESTS = 5_000  # a round of one engine, about a tenth of a second on our loop
ROUNDS = 20
SEED = 1
REFERENCE = "SimPy"


def measure(requests: int = REQUESTS, rounds: int = ROUNDS) -> Section:
    draws = draw(requests, SEED)
    counts: set[tuple[int, int]] = set()
    measures = {name: _cpu_s(engine, draws, counts) for name, engine in ENGINES.items()}
    with quiet_collector():
        cpu_s = asyncio.run(take_turns(measures, rounds))
    assert len(counts) == 1, f"the engines do not agree: {counts}"
    return _section(cpu_s, requests, rounds)


def _cpu_s(engine: Engine, draws: Draws, counts: set[tuple[int, int]]) -> Measure:
    def run() -> float:
        began_s = time.thread_time()
        result = engine(draws)
        took_s = time.thread_time() - began_s
        counts.add((result.done, result.timed_out))
        return took_s

    async def in_a_thread() -> float:  # where our loop may run inside of the one that takes turns
        return await asyncio.to_thread(run)

    return in_a_thread


def _section(cpu_s: dict[str, list[float]], requests: int, rounds: int) -> Section:
    figures: list[Figure] = []
    for name, took_s in cpu_s.items():
        rate = requests / median(took_s)
        figures.append(Figure(name=f"{name}: requests", value=rate, unit="a CPU second"))
        if name != REFERENCE:
            ratio = median_ratio(cpu_s[REFERENCE], took_s)
            figures.append(Figure(name=f"{name}: to {REFERENCE}", value=ratio))
    return Section(
        title="queue_model: one queue model on our virtual loop, in SimPy and on a plain heap",
        how=f"{WORKERS} workers at load {LOAD:g}, time-out {TIMEOUT_S:g} s, {requests} requests from the same"
        f" draws; median of {rounds} rounds that take turns",
        figures=tuple(figures),
        notes=("all three counted the same",),
    )
