"""What there is to choose from, with one line of meaning each."""

from collections.abc import Mapping

from faults.registry import FAULTS
from harness.config import scenarios
from harness.errors import unknown
from harness.judging.metrics import METRICS
from policies.notation import spell_value
from policies.presets import PRESETS
from policies.registry import POLICIES, parameter_defaults

SHOWN_WORKERS = 4  # that the presets are shown for


def catalogue(kind: str) -> Mapping[str, str]:
    """Name to meaning. BadInput for a kind that is not listed."""
    match kind:
        case "scenarios":
            return {name: scenario.meaning for name, scenario in scenarios().items()}
        case "policies":
            return {name: f"{policy.meaning}{_parameters(name)}" for name, policy in POLICIES.items()}
        case "presets":
            return {name: f"{p.meaning} [{p.source}]" for name, p in PRESETS.items()}
        case "pipelines":
            return {name: preset.text(SHOWN_WORKERS) for name, preset in PRESETS.items()}
        case "faults":
            return {name: fault.meaning for name, fault in FAULTS.items()}
        case "metrics":
            return {name: f"{metric.meaning} [{metric.unit}]" for name, metric in METRICS.items()}
    raise unknown("list", kind, ("scenarios", "policies", "presets", "pipelines", "faults", "metrics"))


def _parameters(name: str) -> str:
    """What can be set, with the defaults."""
    values = parameter_defaults(name).items()
    return f" [{', '.join(f'{key}={spell_value(value)}' for key, value in values)}]" if values else ""
