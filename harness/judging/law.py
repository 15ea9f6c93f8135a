"""The law beside the verdict: what queueing theory says of this load and this fault, without a policy.

Everything but the size of the fault is measured before it begins.
"""

from math import inf

from harness.judging import queueing
from harness.judging.history import Setup
from harness.judging.laws import LAWS
from harness.judging.laws.given import UNBOUNDED_PRESET, Given
from harness.judging.laws.unharmed import GONE
from harness.judging.load import Load, Service
from harness.judging.result import Bite, Law


def predict(setup: Setup, load: Load | None, service: Service | None, bite: Bite | None) -> Law:
    """What must happen. `service` is the one that fills first; `agreement.py` adds what did happen."""
    if bite is None:
        return Law(words="no fault: nothing to predict")
    if bite.quantity not in LAWS:
        return Law(words=f"no law is known for {bite.kind}")
    if load is None or service is None or not setup.max_num_seqs:
        return Law(
            words="no law: no step, answer, batch size or bounded service is known from before the fault"
        )
    capacity = queueing.full_batch_capacity_rps(setup.max_num_seqs, load.tokens, load.step_s)
    assumes = _assumes(setup)
    healthy = Law(
        words="",
        hop=service.name,
        slots=service.slots,
        in_use=service.in_use,
        arrivals_rps=service.arrivals_rps,
        capacity_rps=capacity,
        step_s=load.step_s,
        tokens=load.tokens,
        rho=service.arrivals_rps / load.faulted / capacity,
        applies=not assumes,
        assumes=assumes,
    )
    faulted = LAWS[bite.quantity](Given(setup, healthy, load, service, bite))
    fleet_rho = load.offered_rps / len(setup.workers) / capacity
    factor = inf if bite.quantity in GONE else faulted.slow_factor or 1.0
    loss = queueing.unavoidable_loss_ratio(len(setup.workers), fleet_rho, factor, load.faulted)
    return faulted.model_copy(update={"unavoidable_loss_ratio": loss})


def _assumes(setup: Setup) -> str:
    """What the laws take for granted and is not so in this run; empty if they apply."""
    shaped = setup.fault is not None and bool(setup.fault.shape)
    left_out = ["without a policy"] if setup.preset != UNBOUNDED_PRESET else []
    return " and ".join([*left_out, *(["always at its strongest"] if shaped else [])])
