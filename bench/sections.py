"""The measurements by name, in the order in which they are reported."""

import importlib
from collections.abc import Callable

from bench.report import Figure, Section

AIM_BATCH = 16
AIM_RATIO = 2.2  # what batching is for: 16 sequences for little more than the price of one


def _step_time() -> Section:
    from bench.step_time import law, measure  # brings torch

    rounds = 30
    rows = measure("tiny", rounds=rounds)
    figures: list[Figure] = []
    for row in rows:
        figures.append(Figure(name=f"batch {row.batch}: step", value=row.step_s * 1e3, unit="ms"))
        aim = AIM_RATIO if row.batch == AIM_BATCH else None
        figures.append(Figure(name=f"batch {row.batch}: to batch 1", value=row.ratio, at_most=aim))
    figures.append(Figure(name="knee of throughput", value=law(rows).knee, unit="sequences"))
    return Section(
        title="step_time: one engine step at each batch size",
        how=f"model tiny, cpu, one thread, unpadded; best of {rounds} rounds that take turns",
        figures=tuple(figures),
    )


def _of(module: str) -> Callable[[], Section]:
    """Imported when it is its turn: most bring torch or aiohttp, and naming a section should come at once."""

    def measure() -> Section:
        section: Section = importlib.import_module(module).measure()
        return section

    return measure


SECTIONS: dict[str, Callable[[], Section]] = {
    "step_time": _step_time,
    "worker_throughput": _of("bench.worker_throughput"),
    "gateway_cost": _of("bench.gateway_cost"),
    "worker_memory": _of("bench.worker_memory"),
    "send_lag": _of("bench.send_lag"),
    "queue_model": _of("bench.queue_model"),
    "virtual_speed": _of("bench.virtual_speed"),
    "virtual_scale": _of("bench.virtual_scale"),
    "policy_cost": _of("bench.policy_cost"),
    "policy_scale": _of("bench.policy_scale"),
    "containment": _of("bench.containment"),
    "false_alarms": _of("bench.false_alarms"),
    "gate_errors": _of("bench.gate_errors"),
    "virtual_memory": _of("bench.virtual_memory"),
    "virtual_parallel": _of("bench.virtual_parallel"),
    "toxiproxy_speed": _of("bench.toxiproxy_speed"),
    "toxiproxy_accuracy": _of("bench.toxiproxy_accuracy"),
}
