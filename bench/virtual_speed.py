"""Requests per CPU second of a virtual run, with steps foreseen and with one timer for each step."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.interleave import Measure, median_ratio, take_turns
from bench.report import Figure, Section
from bench.virtual_requests import (
    ANSWER_TOKENS,
    PRESET,
    WITH_HOPS,
    WITHOUT_HOPS,
    Weighed,
    weigh,
)
from harness.serving.cost_model import Costs

REQUESTS = 3_000  # a run, about a second
ROUNDS = 5
AIM_A_S = 10_000
CASES = {"without hops": WITHOUT_HOPS, "with hops": WITH_HOPS}
STRIDES, SINGLE = "strides", "single steps"


@dataclass(slots=True)
class _Case:
    """What runs with the same costs came to, whatever their steps."""

    costs: Costs
    requests: int = 0
    digests: set[str] = field(default_factory=set)

    def note(self, weighed: Weighed) -> None:
        self.requests = weighed.requests
        self.digests.add(weighed.digest)
        assert len(self.digests) == 1, "foreseen steps and single steps do not make the same history"


def measure(requests: int = REQUESTS, rounds: int = ROUNDS) -> Section:
    cases = {name: _Case(costs) for name, costs in CASES.items()}
    with tempfile.TemporaryDirectory() as folder:
        measures = {
            f"{name}, {steps}": _cpu_s(case, requests, Path(folder), single_steps=steps == SINGLE)
            for name, case in cases.items()
            for steps in (STRIDES, SINGLE)
        }
        cpu_s = asyncio.run(take_turns(measures, rounds))
    return _section(cpu_s, {name: case.requests for name, case in cases.items()}, rounds)


def _cpu_s(case: _Case, requests: int, folder: Path, *, single_steps: bool) -> Measure:
    def run() -> float:
        weighed = weigh(folder, requests, costs=case.costs, single_steps=single_steps)
        case.note(weighed)
        return weighed.cpu_s

    async def in_a_thread() -> float:  # where the virtual loop may run inside of the one that takes turns
        return await asyncio.to_thread(run)

    return in_a_thread


def _section(cpu_s: dict[str, list[float]], requests: dict[str, int], rounds: int) -> Section:
    figures: list[Figure] = []
    for name, number in requests.items():
        strides, single = cpu_s[f"{name}, {STRIDES}"], cpu_s[f"{name}, {SINGLE}"]
        aim = AIM_A_S if CASES[name] is WITHOUT_HOPS else None
        figures += [
            Figure(name=f"{name}: requests", value=number / min(strides), unit="a CPU second", at_least=aim),
            Figure(name=f"{name}: in single steps", value=number / min(single), unit="a CPU second"),
            Figure(name=f"{name}: to single steps", value=median_ratio(single, strides)),
        ]
    spread = max(max(each) / median(each) for each in cpu_s.values())
    return Section(
        title="virtual_speed: requests through services, gateway and batching workers on the virtual loop",
        how=f"16 prompt and {ANSWER_TOKENS} answer tokens, preset {PRESET}, 4 workers, tiny_cpu, history"
        f" written; best of {rounds} rounds that take turns, ratios their median",
        figures=tuple(figures),
        notes=(
            "foreseen and single steps made the same history to the byte",
            f"the slowest round took {spread:.2f} times the median: above 1.2 the machine was busy",
        ),
    )
