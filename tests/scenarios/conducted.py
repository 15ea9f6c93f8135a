"""One virtual run of a scenario, and what a test of its phenomenon reads from it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from faults.fault import Fault
from harness.clock import VirtualLoop
from harness.config import find_preset
from harness.interrupts import run_to_the_end
from harness.judging.detection import accused
from harness.judging.history import Attempted, Gauge, History
from harness.judging.windows import Window, timeline
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Scenario
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_deployment import deploy_virtual


def conduct(
    scenario: Scenario, preset: str, folder: Path, *, seed: int = 1, fault: Fault | None = None
) -> History:
    """`preset`: its name, or a pipeline as text. `fault`: in place of the scenario's own."""
    scenario = scenario if fault is None else replace(scenario, fault=fault)
    deploy = partial(deploy_virtual, costs=TINY_CPU)
    folder.mkdir(parents=True, exist_ok=True)
    work = run(scenario, find_preset(preset), seed, deploy, folder / "history.jsonl", NoProgress())
    return run_to_the_end(work, VirtualLoop)


def sent(history: History, window: Window, worker: str = "worker-0") -> list[Attempted]:
    """The attempts that began at `worker` inside the window."""
    return [each for each in history.attempts(worker) if window.holds(each.started_s)]


def during(history: History) -> Window:
    """While the fault was there."""
    return timeline(history).fault


def gauges(history: History, place: str) -> list[Gauge]:
    """What was seen of `place` while the fault was there."""
    window = during(history)
    return [look for look in history.gauges(place) if window.holds(look.at_s)]


def health_s(history: History, worker: str = "worker-0") -> list[float]:
    """How long each answer about its health took while the fault was there."""
    return [look.values["health_s"] for look in gauges(history, f"health {worker}")]


def spells(history: History, worker: str = "worker-0") -> list[float]:
    """When the gates began to accuse `worker`, seconds since the fault began: once a spell."""
    window, begun, before = during(history), [], False
    for look in gauges(history, "gateway"):
        now = worker in accused(look)
        if now and not before:
            begun.append(look.at_s - window.start_s)
        before = now
    return begun


def gaps_s(attempts: Sequence[Attempted]) -> list[float]:
    """The pauses between the tokens of these attempts, the shortest first."""
    times = [each.token_times_s for each in attempts]
    return sorted(later - earlier for t in times for earlier, later in pairwise(t))
