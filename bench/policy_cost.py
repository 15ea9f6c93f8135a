"""CPU that each policy and each preset adds to a request of a virtual run, over taking workers in turn."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.interleave import Measure, take_turns
from bench.report import Figure, Section
from bench.virtual_requests import RPS_EACH, weigh
from policies.presets import PRESETS
from policies.registry import POLICIES

REQUESTS = 1_500  # a run, about half a second
ROUNDS = 5
BASE = "none"
CONTAIN, AIM_US = "contain", 60.0
DOES_NOTHING = ("none",)  # the policy of that name


def measure(names: Sequence[str] = (), requests: int = REQUESTS, rounds: int = ROUNDS) -> Section:
    """`names`: presets, or policies with their defaults; all by default."""
    chosen = list(names) or [*(name for name in PRESETS if name != BASE), *_policies()]
    with tempfile.TemporaryDirectory() as folder:
        measures = {name: _cpu_s(name, requests, Path(folder)) for name in (BASE, *chosen)}
        cpu_s = asyncio.run(take_turns(measures, rounds))
    return _section({name: min(each) for name, each in cpu_s.items()}, requests, rounds)


def _policies() -> list[str]:
    return [f"{name}()" for name in POLICIES if name not in DOES_NOTHING]


def _cpu_s(preset: str, requests: int, folder: Path) -> Measure:
    def run() -> float:
        weighed = weigh(folder, requests, preset=preset)
        return weighed.cpu_s / weighed.requests

    async def in_a_thread() -> float:  # where the virtual loop may run inside of the one that takes turns
        return await asyncio.to_thread(run)

    return in_a_thread


def _section(cpu_s: dict[str, float], requests: int, rounds: int) -> Section:
    """`cpu_s`: of one request, by preset or policy."""
    figures = [Figure(name=f"preset {BASE}: a request", value=cpu_s[BASE] * 1e6, unit="us CPU")]
    for name, each_s in cpu_s.items():
        if name != BASE:
            figures.append(
                Figure(
                    name=f"{'preset ' if name in PRESETS else ''}{name} adds",
                    value=(each_s - cpu_s[BASE]) * 1e6,
                    unit="us CPU",
                    at_most=AIM_US if name == CONTAIN else None,
                )
            )
    return Section(
        title="policy_cost: CPU that a policy adds to a request of a virtual run",
        how=f"4 workers, {RPS_EACH:g} requests/s a worker, {requests:,} requests a run, healthy; least of"
        f" {rounds} rounds that take turns; policies alone, with their defaults",
        figures=tuple(figures),
    )
