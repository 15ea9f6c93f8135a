"""How much two processes gain over one on the same virtual runs."""

import os
import tempfile
import time
from pathlib import Path

from bench.report import Figure, Section
from bench.virtual_requests import PRESET, WITH_HOPS
from harness.errors import EnvironmentFault
from harness.fleet import Fleet
from harness.many_runs import check_jobs, conduct_all
from harness.virtual_run import VirtualRun

SCENARIO = "healthy"
RUNS = 8
JOBS = 2
WORKERS = 24  # some 5,000 requests for workers and 3,000 for the services in each run, judged at its end
SMALL = 2  # workers of the runs that are there to see the processes start
ROUNDS = 2
AIM_RATIO = 0.85


def measure(runs: int = RUNS, workers: int = WORKERS, rounds: int = ROUNDS) -> Section:
    cores = check_jobs(None)
    if cores < JOBS:
        raise EnvironmentFault(f"{JOBS} processes need {JOBS} cores, this process may use {cores}")
    took_s: dict[int, list[float]] = {1: [], JOBS: []}
    start_up_s: list[float] = []
    for number in range(rounds):
        for jobs in (1, JOBS) if number % 2 else (JOBS, 1):
            took_s[jobs].append(_wall_s(runs, workers, jobs))
        start_up_s.append(_start_up_s())
    return _section(took_s, min(start_up_s), runs, workers)


def _wall_s(runs: int, workers: int, jobs: int) -> float:
    """Seconds until all are done; processes begin and end within."""
    with tempfile.TemporaryDirectory() as folder:
        todo = []
        for seed in range(1, runs + 1):
            place = Path(folder) / str(seed)
            place.mkdir()
            fleet = Fleet(workers=workers)
            run = VirtualRun(scenario=SCENARIO, preset=PRESET, seed=seed, costs=WITH_HOPS, fleet=fleet)
            todo.append((run, place))
        began_s = time.perf_counter()
        assert sum(1 for _ in conduct_all(todo, jobs)) == runs
        return time.perf_counter() - began_s


def _start_up_s() -> float:
    """What the processes cost before and after their runs: two small runs side by side, less one of them."""
    return max(0.0, _wall_s(JOBS, SMALL, JOBS) - _wall_s(JOBS, SMALL, 1) / JOBS)


def _section(took_s: dict[int, list[float]], start_up_s: float, runs: int, workers: int) -> Section:
    alone_s, together_s = min(took_s[1]), min(took_s[JOBS])
    return Section(
        title=f"virtual_parallel: {runs} virtual runs in {JOBS} processes against one",
        how=f"scenario {SCENARIO}, preset {PRESET}, {workers} workers, judged; wall time, best of"
        f" {len(took_s[1])} rounds that take turns",
        figures=(
            Figure(name="in one process", value=alone_s, unit="s"),
            Figure(name=f"in {JOBS} processes", value=together_s, unit="s"),
            Figure(name="efficiency", value=alone_s / together_s / JOBS, at_least=AIM_RATIO),
            Figure(name="starting and ending the processes", value=start_up_s, unit="s"),
            Figure(name="efficiency without that", value=alone_s / (together_s - start_up_s) / JOBS),
        ),
        notes=(f"load average {os.getloadavg()[0]:.1f}: other work on the cores lowers the efficiency",),
    )
