"""What steps cost, for a gate: of virtual time, and for the capacity that its load is a share of."""

from harness.gating.gate_file import GateFile
from harness.real_deployment import Options
from harness.serving.cost_store import AUTO, Chosen, choose_costs

CPU = "cpu"


def costs_of(gate: GateFile, name: str, options: Options) -> Chosen:
    """Of a virtual gate by name; of a real one those calibrated here, if any are."""
    if gate.engine == "virtual":
        return choose_costs(name)
    return choose_costs(AUTO, options.model, _device(options))


def to_be_measured(gate: GateFile, chosen: Chosen) -> bool:
    """Whether the load is a share of a capacity that nobody has measured on this machine."""
    real = gate.engine == "torch" and gate.load_ratio is not None
    return real and not chosen.origin.startswith("calibrated")


def measured(options: Options) -> Chosen:
    """Calibrate, which takes a minute; the next gate finds it done."""
    from harness.calibration.calibrate import calibrate_here

    calibrate_here(options.model, _device(options))
    return choose_costs(AUTO, options.model, _device(options))


def _device(options: Options) -> str:
    return CPU if options.device == AUTO else options.device
