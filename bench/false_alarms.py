"""What policies do when nothing is wrong: ejections, openings and refusals on healthy workers.

Answers differ in length by a factor of a hundred, which is what false alarms are made of. As long as none of
them acts, policies do not disturb each other, so many can be watched in the same run. `adaptive_timeout` is
not among them: it ends attempts that wait long by chance, and what others make of that is not theirs alone.
"""

import multiprocessing
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.report import Figure, Section
from harness.clock import run_virtual
from harness.config import find_preset, find_scenario
from harness.fleet import Fleet, resize
from harness.judging.detection import accusing
from harness.judging.history import Ended, Gauge, History, Refused
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Scenario
from harness.serving.cost_sets import TINY_CPU
from harness.serving.gateway import NAME as GATEWAY
from harness.virtual_deployment import deploy_virtual
from policies.outcome import Kind
from policies.registry import POLICIES

LOADS = (0.3, 0.6, 0.9)  # of what the pool can carry
SEEDS = 100
SIGMA = 1.0  # of the log-normal lengths
SHEDDING_MAY_FROM = 0.9  # load from which a policy that sheds may
# Refuse for want of room, which is what they are for: no judgement of a worker.
SHEDDING = frozenset(
    {
        "bulkhead",
        "limit_aimd",
        "limit_vegas",
        "limit_gradient2",
        "limit_slo",
        "shed_queue_length",
        "shed_queue_delay",
        "shed_deadline",
        "priority_shed",
        "rate_limit",
        "throttle_sre",
        "admission_control",
        "brownout",
        "queue",
    }
)
# Gives less to whoever looks slow before anybody is sure; it takes nobody out, and is counted apart.
WEIGHING = frozenset({"suspect_weight"})
NO_JUDGES = SHEDDING | WEIGHING | {GATEWAY}
WATCHED = (
    "brownout() | timeout() | admission_control() | throttle_sre() | priority_shed()"
    " | shed_deadline() | shed_queue_delay() | retry() | breaker_pybreaker() | breaker_window()"
    " | outlier_errors() | outlier_latency() | bulkhead(64) | round_robin()"
)
LIMITS = "limit_aimd() | limit_vegas() | limit_gradient2() | limit_slo() | suspect_weight() | peak_ewma()"
PIPELINES = ("contain", WATCHED, LIMITS)


@dataclass(frozen=True, slots=True)
class Alarms:
    """What was done to healthy workers in one run, by policy."""

    offered: int
    shut_out: Mapping[str, int]  # looks at the gates that found a worker restricted
    refused: Mapping[str, int]


def measure(
    pipelines: Sequence[str] = PIPELINES, loads: Sequence[float] = LOADS, seeds: int = SEEDS
) -> Section:
    jobs = [(text, load, seed) for text in pipelines for load in loads for seed in range(1, seeds + 1)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as processes:
        found = list(processes.map(_watch, jobs, chunksize=4))
    figures: list[Figure] = []
    notes: list[str] = []
    for number, text in enumerate(pipelines, 1):
        notes.append(f"pipeline {number}: {text}")
        for load in loads:
            alarms = [a for job, a in zip(jobs, found, strict=True) if job[:2] == (text, load)]
            figures += _figures(f"pipeline {number}, load {load:.0%}", alarms, load, notes)
    return Section(
        title="false_alarms: what policies do on healthy workers",
        how=f"scenario healthy, log-normal answers of sigma {SIGMA:g}, {seeds} seeds a load, virtual",
        figures=tuple(figures),
        notes=tuple(notes),
    )


def watch(text: str, load: float, seed: int) -> Alarms:
    """One run."""
    with tempfile.TemporaryDirectory() as folder:
        deploy = partial(deploy_virtual, costs=TINY_CPU)
        work = run(_scenario(load), find_preset(text), seed, deploy, Path(folder) / "h.jsonl", NoProgress())
        return _alarms(run_virtual(work))


def _watch(job: tuple[str, float, int]) -> Alarms:
    return watch(*job)


def _scenario(load: float) -> Scenario:
    scenario = resize(find_scenario("healthy"), Fleet(load=load), TINY_CPU)
    return replace(
        scenario,
        callers=tuple(replace(c, length_sigma=SIGMA) for c in scenario.callers if c.inference),
    )


def _alarms(history: History) -> Alarms:
    endings = history.of(Ended)
    states = [
        state for gauge in history.of(Gauge) if gauge.place == GATEWAY for state in gauge.states.values()
    ]
    refused = Counter(ended.by for ended in endings if ended.kind == Kind.REJECTED)
    refused.update(refusal.gate for refusal in history.of(Refused))
    words = (word for state in states for word in accusing(state).split())
    return Alarms(len(endings), Counter(word for word in words if word in POLICIES), refused)


def _figures(what: str, alarms: Sequence[Alarms], load: float, notes: list[str]) -> list[Figure]:
    """Runs in which a judgement was wrong, a weight was lowered, and something was refused."""
    judged = [judgements(each) for each in alarms]
    shed = [sum(each.refused.values()) for each in alarms]
    by_policy: Counter[str] = sum(judged, Counter())
    if by_policy:
        notes.append(f"{what}: {', '.join(f'{name} {times}' for name, times in by_policy.most_common())}")
    return [
        Figure(name=f"{what}: runs with a false alarm", value=sum(map(bool, judged)), at_most=0),
        Figure(name=f"{what}: runs with a lower weight", value=sum(map(weighed, alarms))),
        Figure(
            name=f"{what}: runs with a refusal",
            value=sum(map(bool, shed)),
            at_most=None if load >= SHEDDING_MAY_FROM else 0,
        ),
    ]


def weighed(alarms: Alarms) -> bool:
    """Whether a healthy worker got less for a while."""
    return any(name in WEIGHING for name in alarms.shut_out)


def judgements(alarms: Alarms) -> Counter[str]:
    """What was done to healthy workers, by policy, without what is about room alone.

    The gateway itself refuses when no worker is open: whoever shut them is counted by name.
    """
    both = Counter(alarms.shut_out) + Counter(alarms.refused)
    return Counter({name: times for name, times in both.items() if name not in NO_JUDGES})
