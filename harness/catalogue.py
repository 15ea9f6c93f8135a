"""What there is to choose from, with one line of meaning each."""

from collections.abc import Iterator, Mapping

from faults.registry import FAULTS
from harness.config import scenarios
from harness.errors import unknown
from harness.judging.metrics import METRICS
from policies.arguments import spell_value
from policies.notation import parse, spell
from policies.presets import PRESETS
from policies.presets.preset import Preset
from policies.registry import POLICIES, parameter_defaults

SHOWN_WORKERS = 4  # that the presets are shown for


def catalogue(kind: str) -> Mapping[str, str]:
    """Name to meaning, in further lines what belongs to it. BadInput for a kind that is not listed."""
    match kind:
        case "scenarios":
            return {name: scenario.meaning for name, scenario in scenarios().items()}
        case "policies":
            return {name: "\n".join(_policy(name)) for name in POLICIES}
        case "presets":
            return {name: f"{preset.meaning}\n[{preset.source}]" for name, preset in PRESETS.items()}
        case "pipelines":
            return {name: _one_a_line(preset) for name, preset in PRESETS.items()}
        case "faults":
            return {name: fault.meaning for name, fault in FAULTS.items()}
        case "metrics":
            return {name: f"{metric.meaning} [{metric.unit}]" for name, metric in METRICS.items()}
    raise unknown("list", kind, ("scenarios", "policies", "presets", "pipelines", "faults", "metrics"))


def _policy(name: str) -> Iterator[str]:
    """What it does, then what can be set, with the defaults."""
    yield POLICIES[name].meaning
    values = parameter_defaults(name).items()
    if values:
        yield f"({', '.join(f'{key}={spell_value(value)}' for key, value in values)})"


def _one_a_line(preset: Preset) -> str:
    """A pipeline as it may be written into a file."""
    return "\n| ".join(map(spell, parse(preset.text(SHOWN_WORKERS))))
