"""Histories without a run: a small discrete simulation of callers, two services, a gateway and four workers.

It knows nothing of the product's code but the history. Workers batch continuously; a step takes 30 ms.
"""

import heapq
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

from harness.judging.history import (
    AnyRecord,
    Arrived,
    Attempted,
    CallerSetup,
    Ended,
    FaultChanged,
    FaultSetup,
    Finished,
    Gauge,
    History,
    Hop,
    PhaseStarted,
    Setup,
    Visit,
)
from harness.judging.result import RunResult
from harness.judging.verdict import judge

CONTAINED = {"preset": "timeout_breaker_shed", "timeout_s": 2.0, "benched_after_s": 2.0}

STEP_S = 0.03
SEATS = 8
TOKENS = 16
LOCAL_S = 0.002
GAUGE_S = 0.5

CHAT = CallerSetup(name="chat", hop="front", rate_rps=15, inference=True, max_tokens=TOKENS)
TENANT = CallerSetup(
    name="tenant", hop="front", rate_rps=5, inference=True, bystander=True, max_tokens=TOKENS
)
LOCAL_FRONT = CallerSetup(name="local_front", hop="front", rate_rps=40, inference=False, bystander=True)
LOCAL_API = CallerSetup(name="local_api", hop="api", rate_rps=40, inference=False, bystander=True)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to simulate. `None` for a fault: healthy. Times in seconds."""

    kind: str | None = "slow_steps"
    size: float = 10.0  # factor, or delay in seconds
    effect: float | None = None  # what really happens, if not `size`
    preset: str = "none"
    timeout_s: float | None = None
    benched_after_s: float | None = None  # from the start of the fault until the gateway avoids the worker
    callers: tuple[CallerSetup, ...] = (CHAT, TENANT, LOCAL_FRONT, LOCAL_API)
    baseline_s: float = 10.0
    fault_s: float = 20.0
    recovery_s: float = 8.0
    drain_s: float = 6.0
    lag_s: float = 0.0  # every twentieth request leaves this much late
    baseline_error_ratio: float = 0.0
    clean: bool = True
    removed: bool = True
    installed: bool = True
    seed: int = 1
    slots: tuple[tuple[str, int | None], ...] = (("front", 32), ("api", 24), ("gateway", None))
    workers: tuple[str, ...] = ("worker 0", "worker 1", "worker 2", "worker 3")
    faulted: tuple[str, ...] = ("worker 2",)
    scenario: str = ""  # empty: by the kind of the fault
    max_queue: int | None = None  # what the set-up says; these workers refuse nothing

    @property
    def fault_start_s(self) -> float:
        return 3.0 + self.baseline_s

    @property
    def fault_end_s(self) -> float:
        return self.fault_start_s + self.fault_s

    def setup(self) -> Setup:
        name = {"link_latency": "latency_s"}.get(self.kind or "", "factor")
        return Setup(
            scenario=self.scenario
            or {None: "healthy", "slow_steps": "slow_worker", "killed": "dead_worker"}.get(
                self.kind, "slow_link"
            ),
            preset=self.preset,
            seed=self.seed,
            version="0",
            hops=[Hop(name=name, slots=slots) for name, slots in self.slots],
            workers=list(self.workers),
            callers=list(self.callers),
            fault=self.kind
            and FaultSetup(
                kind=self.kind,
                workers=list(self.faulted),
                parameters={name: self.size},
                quantity={"slow_steps": "step time", "killed": "down"}.get(self.kind, "delay"),
                asked=1.0 if self.kind == "killed" else self.size,
                unit={"slow_steps": "x", "killed": ""}.get(self.kind, "s"),
                heals=self.kind != "killed",
            ),
            timeout_s=self.timeout_s,
            max_num_seqs=SEATS,
            max_queue=self.max_queue,
            step_floor_s=STEP_S,
            model="tiny",
            device="cpu",
            engine="torch",
        )


def simulate(**changes: object) -> History:
    """The history of one run; the same plan gives the same history."""
    return Simulation(replace(Plan(), **changes)).run()


@cache
def judged(**changes: object) -> RunResult:
    """One run, judged. Kept, since many tests look at the same few runs."""
    return judge(simulate(**changes))


@dataclass(eq=False)
class Job:
    """One request on its way; `leave` undoes what it holds, innermost last."""

    name: str
    caller: CallerSetup
    at_hop: int
    visits: list[list[float | None]] = field(default_factory=list)  # hop, arrived, granted
    worker: str = ""
    started_s: float = 0.0
    tokens: list[float] = field(default_factory=list)
    over: bool = False


class Simulation:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.now, self.order = plan, 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.records: list[AnyRecord] = [plan.setup()]
        self.free = [slots if slots is not None else 10**9 for _, slots in plan.slots]
        self.lines: list[deque[Job]] = [deque() for _ in plan.slots]
        self.queues: dict[str, deque[Job]] = {name: deque() for name in plan.workers}
        self.running: dict[str, list[Job]] = {name: [] for name in plan.workers}
        self.stepping = dict.fromkeys(plan.workers, False)
        self.counters = {name: [0.0, 0.0] for name in plan.workers}  # steps, seconds of steps
        self.turn = 0
        self.jobs: dict[str, Job] = {}
        self.chance = random.Random(plan.seed)

    def run(self) -> History:
        plan = self.plan
        end_s = plan.fault_end_s + plan.recovery_s
        self._phases(end_s)
        for caller in plan.callers:
            self._schedule_arrivals(caller, end_s)
        ticks = int((end_s + plan.drain_s) / GAUGE_S)
        for tick in range(1, ticks):
            self.at(tick * GAUGE_S, self._sample)
        while self.events and self.events[0][0] < end_s + plan.drain_s:
            self.now, _, event = heapq.heappop(self.events)
            event()
        self.now = end_s + plan.drain_s
        for job in list(self.jobs.values()):
            self._end(job, "hung")
        self.write(Finished(at_s=self.now, clean=plan.clean))
        return History(self.records)

    def at(self, time_s: float, event: Callable[[], None]) -> None:
        self.order += 1
        heapq.heappush(self.events, (time_s, self.order, event))

    def write(self, record: AnyRecord) -> None:
        self.records.append(record)

    def _phases(self, end_s: float) -> None:
        plan = self.plan
        starts = (0.0, 3.0, plan.fault_start_s, plan.fault_end_s, end_s)
        for name, start_s in zip(("warm_up", "baseline", "fault", "recovery", "drain"), starts, strict=True):
            self.at(start_s, lambda n=name: self.write(PhaseStarted(at_s=self.now, phase=n)))
        if plan.kind and plan.installed:
            self.at(plan.fault_start_s, lambda: self.write(FaultChanged(at_s=self.now, active=True)))
            removed = plan.removed
            self.at(
                plan.fault_end_s,
                lambda: self.write(FaultChanged(at_s=self.now, active=False, verified=removed)),
            )

    def _schedule_arrivals(self, caller: CallerSetup, end_s: float) -> None:
        times, time_s = random.Random(f"{self.plan.seed} {caller.name}"), 0.0
        for number in range(10**6):
            time_s += times.expovariate(caller.rate_rps)
            if time_s >= end_s:
                return
            job = Job(f"{caller.name}-{number}", caller, self._hop(caller.hop))
            lag_s = self.plan.lag_s if number % 20 == 0 else 0.0
            self.at(time_s + lag_s, lambda j=job, t=time_s: self._arrive(j, t))

    def _hop(self, name: str) -> int:
        return [hop for hop, _ in self.plan.slots].index(name)

    def _arrive(self, job: Job, intended_s: float) -> None:
        self.jobs[job.name] = job
        self.write(Arrived(at_s=self.now, request=job.name, caller=job.caller.name, intended_s=intended_s))
        broken = self.now < self.plan.fault_start_s and self.chance.random() < self.plan.baseline_error_ratio
        if broken:
            self._end(job, "error")
        else:
            self._enter(job, job.at_hop)

    def _enter(self, job: Job, hop: int) -> None:
        job.at_hop = hop
        job.visits.append([hop, self.now, None])
        self.lines[hop].append(job)
        self._serve(hop)

    def _serve(self, hop: int) -> None:
        while self.free[hop] and self.lines[hop]:
            job = self.lines[hop].popleft()
            if job.over:
                continue
            self.free[hop] -= 1
            job.visits[-1][2] = self.now
            if not job.caller.inference:
                self.at(self.now + LOCAL_S, lambda j=job: self._end(j, "ok"))
            elif hop + 1 < len(self.plan.slots):
                self._enter(job, hop + 1)
            else:
                self._send(job)

    def _send(self, job: Job) -> None:
        avoid = set(self.plan.faulted) if job.caller.bystander or self._benched() else set()
        allowed = [name for name in self.plan.workers if name not in avoid]
        self.turn += 1
        job.worker, job.started_s = allowed[self.turn % len(allowed)], self.now
        if self._down(job.worker):
            self._end(job, "error", cause="connection refused")
            return
        self.queues[job.worker].append(job)
        if self.plan.timeout_s is not None:
            self.at(self.now + self.plan.timeout_s, lambda: self._end(job, "timeout", cause="too slow"))
        self._step(job.worker)

    def _step(self, worker: str) -> None:
        if self.stepping[worker]:
            return
        running, queue = self.running[worker], self.queues[worker]
        while queue and len(running) < SEATS:
            running.append(queue.popleft())
        if not running:
            return
        self.stepping[worker] = True
        took_s = STEP_S * (self._effect() if self._faulty(worker, "slow_steps") else 1.0)
        self.at(self.now + took_s, lambda: self._stepped(worker, took_s))

    def _stepped(self, worker: str, took_s: float) -> None:
        self.stepping[worker] = False
        self.counters[worker][0] += 1
        self.counters[worker][1] += took_s
        delay_s = self._effect() if self._faulty(worker, "link_latency") else 0.0
        for job in list(self.running[worker]):
            job.tokens.append(self.now + delay_s)
            if len(job.tokens) == TOKENS:
                self.running[worker].remove(job)
                self.at(self.now + delay_s, lambda j=job: self._end(j, "ok"))
        self._step(worker)

    def _end(self, job: Job, kind: str, cause: str = "") -> None:
        if job.over:
            return
        job.over = True
        del self.jobs[job.name]
        tokens = [t for t in job.tokens if t <= self.now]
        if job.worker:
            self._leave_worker(job)
            self.write(
                Attempted(
                    at_s=self.now, request=job.name, number=1, worker=job.worker, started_s=job.started_s,
                    kind=kind, cause=cause, tokens=len(tokens),
                )
            )  # fmt: skip
        for hop, arrived_s, granted_s in reversed(job.visits):
            self.write(
                Visit(
                    at_s=self.now, hop=self.plan.slots[hop][0], request=job.name, arrived_s=arrived_s,
                    granted_s=granted_s, kind=kind,
                )
            )  # fmt: skip
            self.free[hop] += granted_s is not None
        self.write(
            Ended(
                at_s=self.now, request=job.name, kind=kind, cause=cause, tokens=len(tokens),
                first_token_s=tokens[0] if tokens else None, last_token_s=tokens[-1] if tokens else None,
                max_gap_s=max((b - a for a, b in pairwise(tokens)), default=0.0),
            )
        )  # fmt: skip
        for hop, _, _ in job.visits:
            self._serve(hop)

    def _leave_worker(self, job: Job) -> None:
        for place in (self.queues[job.worker], self.running[job.worker]):
            if job in place:
                place.remove(job)

    def _sample(self) -> None:
        self._sample_hops()
        for name in self.plan.workers:
            steps, seconds = self.counters[name]
            values = {"up": 0.0} if self._down(name) else {
                "up": 1.0, "running": len(self.running[name]), "waiting": len(self.queues[name]),
                "steps": steps, "step_seconds": seconds,
            }  # fmt: skip
            self.write(Gauge(at_s=self.now, place=name, values=values))
            probe_s = 0.001 + (self._effect() if self._faulty(name, "link_latency") else 0.0)
            self.write(Gauge(at_s=self.now, place=f"link {name}", values={"probe_s": probe_s}))

    def _sample_hops(self) -> None:
        seen = Counter(
            (hop, granted is not None) for job in self.jobs.values() for hop, _, granted in job.visits
        )
        sent = Counter(job.worker for job in self.jobs.values() if job.worker)
        for hop, (name, slots) in enumerate(self.plan.slots):
            values = {"in_use": seen[hop, True], "waiting": seen[hop, False]}
            if slots is None:
                values = {
                    "in_flight": seen[hop, True],
                    **{f"pending.{w}": sent[w] for w in self.plan.workers},
                }
            self.write(Gauge(at_s=self.now, place=name, values=values))

    def _effect(self) -> float:
        return self.plan.size if self.plan.effect is None else self.plan.effect

    def _faulty(self, worker: str, kind: str) -> bool:
        in_time = self.plan.fault_start_s <= self.now < self.plan.fault_end_s
        return self.plan.kind == kind and worker in self.plan.faulted and in_time

    def _down(self, worker: str) -> bool:
        """A killed worker stays away."""
        after = self.now >= self.plan.fault_start_s
        return self.plan.kind == "killed" and worker in self.plan.faulted and after

    def _benched(self) -> bool:
        delay_s = self.plan.benched_after_s
        return delay_s is not None and self.plan.fault_start_s + delay_s <= self.now < self.plan.fault_end_s
