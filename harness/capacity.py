"""What a virtual layer can carry by its costs, and how long pressure takes to travel in it: before a run."""

from harness.judging import queueing
from harness.load.prompts import count_tokens
from harness.scenario import Caller, Scenario, Topology
from harness.serving.cost_model import Costs


def capacity_rps(topology: Topology, callers: tuple[Caller, ...], costs: Costs, factor: float = 1.0) -> float:
    """Most requests a second that one worker completes, of the mix that `callers` send.

    `factor`: how many times slower it is than a healthy one.
    """
    asking = [caller for caller in callers if caller.inference]
    total = sum(caller.rate_rps for caller in asking)
    tokens = sum(caller.rate_rps * caller.max_tokens for caller in asking) / total
    prompt = sum(caller.rate_rps * count_tokens(caller.prompt_words) for caller in asking) / total
    return queueing.full_batch_capacity_rps(
        topology.max_num_seqs, tokens, _full_step_s(topology, costs, prompt, tokens, factor)
    )


def step_floor_s(topology: Topology, costs: Costs) -> float:
    """Steps of a small model on a CPU are padded; those of a GPU never are."""
    return topology.step_floor_s if costs.padded else 0.0


def travel_s(scenario: Scenario, costs: Costs, factor: float) -> float:
    """Until the slots of the first service are gone, 0 if they never are (see `judging/law.py`)."""
    topology, faulted = scenario.topology, len(scenario.faulted_workers)
    asking = [caller for caller in scenario.callers if caller.inference]
    touching_rps = sum(caller.rate_rps for caller in asking if not caller.avoids_fault)
    arrivals_rps = touching_rps * faulted / topology.workers
    capacity = capacity_rps(topology, scenario.callers, costs)
    slowed = capacity_rps(topology, scenario.callers, costs, factor)
    if arrivals_rps / faulted <= slowed * queueing.SATURATES_ABOVE:
        return 0.0
    slots = min(tier.slots for tier in topology.services)
    service_s, slowed_s = topology.max_num_seqs / capacity, topology.max_num_seqs / slowed  # in a full batch
    in_use = sum(caller.rate_rps for caller in asking) * service_s
    held = queueing.held_at_most(faulted, topology.max_num_seqs, topology.max_queue)
    if queueing.must_fill(slots, held, in_use - arrivals_rps * service_s) is False:
        return 0.0
    return queueing.travel_s(slots - in_use, arrivals_rps, faulted * slowed, slowed_s)


def offered(scenario: Scenario) -> float:
    """How many requests a run asks, on average."""
    return sum(caller.rate_rps for caller in scenario.callers) * scenario.phases.load_s


def _full_step_s(topology: Topology, costs: Costs, prompt: float, tokens: float, factor: float) -> float:
    """A step of a full batch in which answers end and begin evenly."""
    batch = topology.max_num_seqs
    prefill = prompt * batch / tokens
    cached = batch * (prompt + tokens / 2)
    step_s = max(step_floor_s(topology, costs), costs.step_s(prefill, batch, cached))
    return factor * step_s + costs.late_s
