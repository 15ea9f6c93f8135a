"""CPU that the preset `contain` adds to a request, in fleets of several sizes."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.policy_cost import BASE, CONTAIN
from bench.report import Figure, Section
from bench.virtual_requests import RPS_EACH, weigh

WORKERS = (4, 64, 512)
REQUESTS = 12_000  # a run: some seconds at the largest fleet
ROUNDS = 3
AIM_RATIO = 2.0


def measure(workers: Sequence[int] = WORKERS, requests: int = REQUESTS, rounds: int = ROUNDS) -> Section:
    cpu_s: dict[tuple[int, str], list[float]] = {
        (number, preset): [] for number in workers for preset in (BASE, CONTAIN)
    }
    with tempfile.TemporaryDirectory() as folder:
        weigh(Path(folder), 100, preset=CONTAIN)  # what the first run of all has to import and to fill
        for _ in range(rounds):
            for (number, preset), each in cpu_s.items():
                weighed = weigh(Path(folder), requests, workers=number, preset=preset)
                each.append(weighed.cpu_s / weighed.requests)
    added = {number: (min(cpu_s[number, CONTAIN]) - min(cpu_s[number, BASE])) * 1e6 for number in workers}
    return _section(added, requests, rounds)


def _section(added: dict[int, float], requests: int, rounds: int) -> Section:
    """`added`: microseconds by the number of workers, the smallest first."""
    smallest = next(iter(added))
    figures: list[Figure] = []
    for workers, cost in added.items():
        figures.append(Figure(name=f"{workers} workers: {CONTAIN} adds", value=cost, unit="us CPU"))
        if workers != smallest:
            ratio = cost / added[smallest]
            figures.append(Figure(name=f"{workers} workers: to {smallest}", value=ratio, at_most=AIM_RATIO))
    return Section(
        title=f"policy_scale: CPU that {CONTAIN} adds to a request, by the number of workers",
        how=f"over {BASE}; {RPS_EACH:g} requests/s a worker, about {requests:,} requests a run; least of"
        f" {rounds} rounds that take turns",
        figures=tuple(figures),
    )
