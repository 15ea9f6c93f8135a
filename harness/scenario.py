"""A scenario: topology, load, fault and expectations, as a value. One phenomenon a file in `scenarios/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from faults.fault import Fault
from harness.judging.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A service with bounded slots."""

    name: str
    slots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Services from the callers towards the gateway, then the workers.

    `tells_workers` False: nobody tells a worker that a caller has left, so it computes for it to the end.
    """

    services: tuple[Tier, ...] = (Tier(name="front", slots=32), Tier(name="api", slots=24))
    workers: int = 4
    max_num_seqs: int = 8
    max_queue: int = 256
    step_floor_s: float = 0.03  # on a CPU; a GPU is never padded
    tells_workers: bool = True

    def worker_names(self) -> list[str]:
        return [worker_name(index) for index in range(self.workers)]


def worker_name(index: int) -> str:
    """The name of worker `index` everywhere: reports, headers, proxies."""
    return f"worker-{index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """More requests for a while, beside the usual. `after_s` counts from the start of the fault phase."""

    rate_rps: float
    length_s: float
    after_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An open-loop source of requests.

    Attributes:
        enters: the service that takes its requests.
        max_tokens: length of every answer, 0 for local requests that need no worker.
        avoids_fault: by configuration it never reaches the faulted worker, so it is a bystander.
        length_sigma: spread of the answers' lengths around `max_tokens`, log-normal; 0: all are alike.
        distinct_prompts: how many prompts it has, some asked more often (Zipf); 0: each is new.
        priority: of its requests, 0 the highest; a higher number may be shed first.
        burst: when it sends more.
        leaves_after_s: it hangs up so long after it asked, satisfied with what came until then.
        pinned_to: its connections lead to this worker alone, or to the next that it may reach.
        cache_owners: each of its prompts may go only to so many workers, which hold its cached keys
            (rendezvous hashing); 0: to any. Needs `distinct_prompts`.
    """

    name: str
    enters: str
    rate_rps: float
    max_tokens: int = 0
    prompt_words: int = 4
    avoids_fault: bool = False
    length_sigma: float = 0.0
    distinct_prompts: int = 0
    priority: int = 1
    burst: Burst | None = None
    leaves_after_s: float = inf
    pinned_to: int | None = None
    cache_owners: int = 0

    @property
    def inference(self) -> bool:
        return self.max_tokens > 0

    def times(self, growth: float) -> "Caller":
        """So many times its requests, those of its burst too."""
        burst = self.burst and replace(self.burst, rate_rps=self.burst.rate_rps * growth)
        return replace(self, rate_rps=self.rate_rps * growth, burst=burst)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """Lengths in seconds. After the recovery no request is sent; `drain_s` bounds the wait for the rest."""

    warm_up_s: float = 2.0
    baseline_s: float = 10.0
    fault_s: float = 21.0
    recovery_s: float = 6.0
    drain_s: float = 5.0

    def starts(self) -> dict[str, float]:
        """Start of each phase since the start of the run, in order."""
        starts, at_s = {}, 0.0
        for name in ("warm_up", "baseline", "fault", "recovery"):
            starts[name] = at_s
            at_s += getattr(self, f"{name}_s")
        return {**starts, "drain": at_s}

    @property
    def load_s(self) -> float:
        """How long requests are sent."""
        return self.warm_up_s + self.baseline_s + self.fault_s + self.recovery_s


DEFAULT_CALLERS = (
    Caller(name="chat", enters="front", rate_rps=16, max_tokens=16),
    Caller(name="tenant", enters="front", rate_rps=4, max_tokens=16, avoids_fault=True),
    Caller(name="local_front", enters="front", rate_rps=40),
    Caller(name="local_api", enters="api", rate_rps=40),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One phenomenon.

    Attributes:
        meaning: one line: what it shows.
        expects: the verdict that each preset must get, both ways: a suite that cannot fail proves nothing.
        fault_replaced: the fault is not the scenario's own but ordered in its place.
        faulted_workers: the numbers of the workers that the fault is installed at, all at once.
    """

    name: str
    meaning: str
    fault: Fault | None
    expects: Mapping[str, Verdict]
    fault_replaced: bool = False
    faulted_workers: tuple[int, ...] = (0,)
    topology: Topology = field(default_factory=Topology)
    callers: tuple[Caller, ...] = DEFAULT_CALLERS
    phases: Phases = field(default_factory=Phases)

    def __post_init__(self) -> None:
        self._check_faulted()
        entries = {tier.name for tier in self.topology.services}
        for caller in self.callers:
            self._check_bound(caller)
            if caller.enters not in entries:
                raise ValueError(
                    f"{self.name}: caller '{caller.name}' enters unknown service '{caller.enters}'"
                )

    def faulted_names(self) -> list[str]:
        """The faulted workers by name."""
        return [worker_name(index) for index in self.faulted_workers]

    def _check_faulted(self) -> None:
        if self.fault is not None and not self.faulted_workers:
            raise ValueError(f"{self.name}: faulted_workers is empty, a fault needs at least one")
        strangers = [index for index in self.faulted_workers if not 0 <= index < self.topology.workers]
        if strangers:
            raise ValueError(f"{self.name}: faulted_workers: {strangers[0]} is not in the pool")
        if len(set(self.faulted_workers)) < len(self.faulted_workers):
            raise ValueError(f"{self.name}: faulted_workers {self.faulted_workers} are not distinct")
        avoiding = [caller.name for caller in self.callers if caller.avoids_fault]
        if avoiding and len(self.faulted_workers) == self.topology.workers:
            raise ValueError(f"{self.name}: caller '{avoiding[0]}' avoids the fault, but all workers have it")

    def _check_bound(self, caller: Caller) -> None:
        where = f"{self.name}: caller '{caller.name}'"
        if caller.pinned_to is not None and not 0 <= caller.pinned_to < self.topology.workers:
            raise ValueError(f"{where} is pinned to {caller.pinned_to}, which is not in the pool")
        if caller.cache_owners and not caller.distinct_prompts:
            raise ValueError(f"{where} has cache_owners, which needs distinct_prompts: prompts that repeat")
        if caller.cache_owners and caller.pinned_to is not None:
            raise ValueError(f"{where} is pinned to a worker: leave out cache_owners")
