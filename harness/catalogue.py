"""What there is to choose from, with one line of meaning each."""

from collections.abc import Mapping

from faults.registry import FAULTS
from harness.config import scenarios
from harness.errors import unknown
from harness.judging.metrics import METRICS
from policies.presets import PRESETS
from policies.registry import POLICIES


def catalogue(kind: str) -> Mapping[str, str]:
    """Name to meaning. BadInput for a kind that is not listed."""
    match kind:
        case "scenarios":
            return {name: scenario.meaning for name, scenario in scenarios().items()}
        case "policies":
            presets = {name: f"preset: {preset.meaning}" for name, preset in PRESETS.items()}
            return {name: policy.meaning for name, policy in POLICIES.items()} | presets
        case "faults":
            return {name: fault.meaning for name, fault in FAULTS.items()}
        case "metrics":
            return {name: f"{metric.meaning} [{metric.unit}]" for name, metric in METRICS.items()}
    raise unknown("list", kind, ("scenarios", "policies", "faults", "metrics"))
