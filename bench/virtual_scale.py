"""What a request costs as the fleet grows, at the same load for each worker and as many requests in all."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.report import Figure, Section
from bench.virtual_requests import PRESET, RPS_EACH, weigh

WORKERS = (4, 64, 512, 4096)
REQUESTS = 24_000  # a run: more than one second at the largest fleet, in which a request takes half of one
ROUNDS = 2
AIM_RATIO = 2.0


def measure(workers: Sequence[int] = WORKERS, requests: int = REQUESTS, rounds: int = ROUNDS) -> Section:
    costs_s: dict[int, list[float]] = {number: [] for number in workers}
    with tempfile.TemporaryDirectory() as folder:
        weigh(Path(folder), 100)  # what the first run of all has to import and to fill
        for _ in range(rounds):
            for number, each in costs_s.items():
                weighed = weigh(Path(folder), requests, workers=number)
                each.append(weighed.cpu_s / weighed.requests)
    return _section(costs_s, requests, rounds)


def _section(costs_s: dict[int, list[float]], requests: int, rounds: int) -> Section:
    """`costs_s`: CPU of one request in each round, by the number of workers, the smallest first."""
    smallest = next(iter(costs_s))
    figures: list[Figure] = []
    for workers, cost_s in costs_s.items():
        figures.append(Figure(name=f"{workers} workers: a request", value=min(cost_s) * 1e6, unit="us CPU"))
        if workers != smallest:
            ratio = min(cost_s) / min(costs_s[smallest])
            figures.append(Figure(name=f"{workers} workers: to {smallest}", value=ratio, at_most=AIM_RATIO))
    return Section(
        title="virtual_scale: CPU of one request in fleets of several sizes",
        how=f"preset {PRESET}, {RPS_EACH:g} requests/s a worker, about {requests:,} requests a run,"
        f" standing up included; best of {rounds} rounds that take turns",
        figures=tuple(figures),
    )
