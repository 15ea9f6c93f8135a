"""What a history says at its beginning: the run as it was asked for, and what it stands on."""

from importlib.metadata import version

from faults.effect import Fidelity
from faults.fault import Fault
from faults.notation import spell, spell_shape
from faults.shape import CONSTANT
from harness.deployment import Deployment
from harness.judging.history import CallerSetup, FaultSetup, Hop, Setup
from harness.scenario import Scenario
from harness.serving.gateway import NAME as GATEWAY
from policies.pipeline import Pipeline
from policies.presets.preset import Preset

IN_VIRTUAL_RUNS = {
    Fidelity.ENGINE: Fidelity.SIMULATED,
    Fidelity.PROCESS: Fidelity.SIMULATED_PROCESS,
}


def run_setup(
    scenario: Scenario,
    written: Fault | None,
    preset: Preset,
    pipeline: Pipeline,
    seed: int,
    deployment: Deployment,
) -> Setup:
    """`written`: the fault as it was given, its shares of the timeout not yet turned into seconds."""
    about = deployment.about
    fault = scenario.fault
    return Setup(
        scenario=scenario.name,
        preset=preset.name,
        seed=seed,
        version=version("limplock"),
        hops=[
            *(Hop(name=tier.name, slots=tier.slots) for tier in scenario.topology.services),
            Hop(name=GATEWAY),
        ],
        workers=list(deployment.sites),
        callers=[
            CallerSetup(
                name=caller.name,
                hop=caller.enters,
                rate_rps=caller.rate_rps,
                inference=caller.inference,
                bystander=caller.avoids_fault or not caller.inference,
                max_tokens=caller.max_tokens,
            )
            for caller in scenario.callers
        ],
        fault=None
        if fault is None
        else _fault_setup(scenario, fault, written or fault, virtual=about.engine == "cost model"),
        timeout_s=_finite(pipeline.timers.attempt_s),
        max_num_seqs=scenario.topology.max_num_seqs,
        max_queue=scenario.topology.max_queue,
        step_floor_s=about.step_floor_s,
        model=about.model,
        device=about.device,
        engine=about.engine,
        toxiproxy=about.toxiproxy,
    )


def _fault_setup(scenario: Scenario, fault: Fault, written: Fault, *, virtual: bool) -> FaultSetup:
    effect = fault.effect()
    fidelity = IN_VIRTUAL_RUNS.get(fault.fidelity, fault.fidelity) if virtual else fault.fidelity
    return FaultSetup(
        kind=fault.kind,
        workers=scenario.faulted_names(),
        parameters=fault.parameters(),
        shape="" if fault.shape == CONSTANT else spell_shape(fault.shape),
        quantity=effect.quantity,
        asked=effect.asked,
        unit=effect.unit,
        less=effect.less,
        written=spell(written),
        replaces=scenario.fault_replaced,
        fidelity=fidelity.value,
        heals=fault.heals,
    )


def _finite(seconds: float) -> float | None:
    return None if seconds == float("inf") else seconds
