"""A scenario at another size: more workers, another load, several slow ones, another slowdown.

A fleet is the scenario's pool many times over. Each worker gets the same load and the services have the same
slots for each request per second, so what changes is the size alone; local callers stay as they are. With
`load` the rates, and the slots with them, follow the capacity that the costs imply.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import ceil, inf

from faults.fault import Fault
from faults.registry import make_fault
from harness.capacity import capacity_rps, offered, travel_s
from harness.errors import BadInput
from harness.lasting import lasting_s
from harness.scenario import Phases, Scenario, Topology
from harness.serving.cost_model import Costs

MOST_WORKERS = 10_000
MOST_REQUESTS = 5_000_000  # a run; by the bench about a quarter of an hour and 7 GB of history
TRAVELS = 3.3  # the fault lasts this many times what pressure needs to travel; the judge demands 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What differs from the scenario; None leaves it as it is.

    Attributes:
        workers: size of the pool.
        slow: how many of them the fault is at.
        load: of the inference callers, as a share of what the healthy pool can carry.
        factor: of the fault, for faults that have one.
        max_queue: requests that may wait inside a worker.
    """

    workers: int | None = None
    slow: int | None = None
    load: float | None = None
    factor: float | None = None
    max_queue: int | None = None

    @property
    def words(self) -> str:
        """`workers=512 load=0.7`, empty where nothing differs."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return " ".join(f"{name}={value:g}" for name, value in values if value is not None)


def resize(scenario: Scenario, fleet: Fleet, costs: Costs) -> Scenario:
    """The scenario with `fleet`. BadInput says what would be accepted."""
    if fleet == Fleet():
        return scenario
    workers = _whole("--workers", fleet.workers, 1, MOST_WORKERS, scenario.topology.workers)
    topology = replace(
        scenario.topology,
        workers=workers,
        max_queue=_whole("--max-queue", fleet.max_queue, 0, 10**6, scenario.topology.max_queue),
    )
    faulted = _faulted(scenario, fleet, workers)
    growth = _growth(scenario, fleet, topology, costs)
    resized = replace(
        scenario,
        topology=replace(
            topology,
            services=tuple(
                replace(tier, slots=max(1, ceil(tier.slots * growth - 1e-9))) for tier in topology.services
            ),
        ),
        callers=tuple(
            caller.times(growth) if caller.inference and growth != 1 else caller
            for caller in scenario.callers
        ),
        fault=_fault(scenario, fleet),
        faulted_workers=faulted,
    )
    return _small_enough(replace(resized, phases=_long_enough(resized, costs)))


def with_phases(scenario: Scenario, lengths_s: Mapping[str, float]) -> Scenario:
    """With other lengths of its phases, by field of `Phases`."""
    return replace(scenario, phases=replace(scenario.phases, **lengths_s)) if lengths_s else scenario


def _growth(scenario: Scenario, fleet: Fleet, topology: Topology, costs: Costs) -> float:
    """How many times the inference load of the scenario this is."""
    same_each = topology.workers / scenario.topology.workers
    if fleet.load is None:
        return same_each
    if not 0 < fleet.load < inf:
        raise BadInput(f"--load must be above 0 and finite, got {fleet.load:g}")
    whole_rps = capacity_rps(topology, scenario.callers, costs) * topology.workers
    if fleet.load >= 1 and fleet.max_queue is None:
        raise BadInput(
            f"--load {fleet.load:g}: it is a share of the {whole_rps:.4g} requests/s that {topology.workers}"
            " healthy workers can carry, and from 1 on their queues grow without end. Below 1 is accepted,"
            " or a bound: --max-queue 8"
        )
    return fleet.load * whole_rps / sum(caller.rate_rps for caller in scenario.callers if caller.inference)


def _faulted(scenario: Scenario, fleet: Fleet, workers: int) -> tuple[int, ...]:
    if fleet.slow is None:
        if len(scenario.faulted_workers) == scenario.topology.workers:
            return tuple(range(workers))  # all of them, however many there are
        avoiding = [caller.name for caller in scenario.callers if caller.avoids_fault]
        least = max(scenario.faulted_workers, default=-1) + 1
        if scenario.fault is not None or avoiding:
            least = max(least, len(scenario.faulted_workers) + 1)
        if workers < least:
            why = (
                f"{avoiding[0]} never uses worker 0" if scenario.fault is None else "one must not be faulted"
            )
            raise BadInput(f"--workers must be at least {least}, got {workers}: {why}")
        return scenario.faulted_workers
    if scenario.fault is None:
        raise BadInput(f"--slow: scenario '{scenario.name}' has no fault. Leave it out")
    if not 1 <= fleet.slow < workers:
        raise BadInput(
            f"--slow must be 1 to {workers - 1} of {workers} workers (bystanders need a healthy one),"
            f" got {fleet.slow}"
        )
    return tuple(range(fleet.slow))


def _fault(scenario: Scenario, fleet: Fleet) -> Fault | None:
    fault = scenario.fault
    if fleet.factor is None or fault is None:
        if fleet.factor is not None:
            raise BadInput(f"--factor: scenario '{scenario.name}' has no fault. Leave it out")
        return fault
    known = fault.parameters()
    if "factor" not in known:
        raise BadInput(
            f"--factor: the fault of '{scenario.name}', {fault.kind}, has no factor."
            f" It has: {', '.join(known) or 'nothing to set'}"
        )
    try:
        return make_fault(fault.kind, known | {"factor": fleet.factor}, fault.shape)
    except ValueError as wrong:
        raise BadInput(f"--factor: {wrong}") from wrong


def _long_enough(scenario: Scenario, costs: Costs) -> Phases:
    """A larger pool has more slots to fill: the fault must last until pressure could have travelled."""
    phases, fault = scenario.phases, scenario.fault
    factor = fault.parameters().get("factor") if fault else None
    if fault is None or factor is None:
        return phases
    fault_s = lasting_s(fault.shape, ceil(TRAVELS * travel_s(scenario, costs, factor)))
    return replace(phases, fault_s=max(phases.fault_s, fault_s))


def _small_enough(scenario: Scenario) -> Scenario:
    requests = offered(scenario)
    if requests > MOST_REQUESTS:
        raise BadInput(
            f"this fleet would be asked {requests:,.0f} requests in {scenario.phases.load_s:g} s;"
            f" at most {MOST_REQUESTS:,} are accepted. Take fewer --workers or less --load"
        )
    return scenario


def _whole(option: str, value: int | None, low: int, high: int, default: int) -> int:
    if value is None:
        return default
    if not low <= value <= high:
        raise BadInput(f"{option} must be {low} to {high}, got {value}")
    return value
