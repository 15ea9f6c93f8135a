"""What there is to choose from, with one line of meaning each."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from faults.notation import spell as spell_fault
from faults.notation import spell_number
from faults.registry import FAMILIES, FAULTS
from faults.registry import parameter_defaults as fault_defaults
from faults.shape import SHAPES, Shape
from harness.config import scenarios
from harness.errors import unknown
from harness.gating.measurable import AT_WORKERS, STREAMED, WHOLE
from harness.judging.metrics import METRICS, Metric
from harness.judging.percentiles import QUANTILES, label
from policies.arguments import spell_value
from policies.notation import parse, spell
from policies.presets import PRESETS
from policies.presets.preset import Preset
from policies.registry import POLICIES, parameter_defaults

LISTS = {
    "scenarios": "topology, load and a fault, with what must come of it",
    "policies": "what a pipeline is made of, with parameters and defaults",
    "presets": "pipelines with a name, and where each is from",
    "pipelines": "the presets as text, to copy and change",
    "faults": "what can slow a worker down, by family, as they are written",
    "shapes": "how strong a fault is as time goes by",
    "metrics": "what can be judged, with unit, percentiles and place",
}
OF = WHOLE | {
    "caller": "one caller",
    "hop": "one service or the gateway",
    "asking": "one caller that asks for tokens",
    "place": "one service, the gateway or a worker",
}
SHOWN_WORKERS = 4  # that the presets are shown for


def catalogue(kind: str) -> Mapping[str, str]:
    """Name to meaning, in further lines what belongs to it. No kind: the kinds. BadInput for any other."""
    match kind:
        case "":
            return LISTS
        case "scenarios":
            return {name: scenario.meaning for name, scenario in scenarios().items()}
        case "policies":
            return {name: "\n".join(_policy(name)) for name in POLICIES}
        case "presets":
            return {name: f"{preset.meaning}\n[{preset.source}]" for name, preset in PRESETS.items()}
        case "pipelines":
            return {name: _one_a_line(preset) for name, preset in PRESETS.items()}
        case "faults":
            return {kind: "\n".join(_fault(kind)) for kind in FAULTS}
        case "shapes":
            return {name: "\n".join(_shape(shape)) for name, shape in SHAPES.items()}
        case "metrics":
            return {name: "\n".join(_metric(metric)) for name, metric in METRICS.items()}
    raise unknown("list", kind, LISTS)


def _policy(name: str) -> Iterator[str]:
    """What it does, then what can be set, with the defaults."""
    yield POLICIES[name].meaning
    values = parameter_defaults(name).items()
    if values:
        yield f"({', '.join(f'{key}={spell_value(value)}' for key, value in values)})"


def _fault(kind: str) -> Iterator[str]:
    """What it does and what can be set, with the defaults."""
    yield FAULTS[kind].meaning
    yield from _set(fault_defaults(kind))


def fault_families() -> Mapping[str, Mapping[str, str]]:
    """Family and how near it is to a slow accelerator, to its faults as they are written, with meanings."""
    found: dict[str, dict[str, str]] = {}
    for family in FAMILIES:
        for fault in family.FAULTS:
            heading = f"{family.__name__.rpartition('.')[2]} [{fault.fidelity.value}]"
            found.setdefault(heading, {})[spell_fault(fault())] = fault.meaning
    return found


def _shape(shape: type[Shape]) -> Iterator[str]:
    yield shape.meaning
    yield from _set(shape_defaults(shape))


def _metric(metric: Metric) -> Iterator[str]:
    """What it means, then of what it is and how its percentiles are written."""
    yield f"{metric.meaning} [{metric.unit}]"
    of = "asking" if metric.name in STREAMED else "place" if metric.name in AT_WORKERS else metric.of
    if not metric.quantiles:
        yield f"of {OF[of]}"
        return
    endings = f", each with {' or '.join(metric.quantiles)}" if any(metric.quantiles) else ""
    yield f"of {OF[of]}: {' '.join(f'.{label(q)}' for q in QUANTILES)}{endings}"


def _set(values: Mapping[str, float]) -> Iterator[str]:
    """Nothing where nothing can be set."""
    if values:
        yield f"({', '.join(f'{name}={spell_number(value)}' for name, value in values.items())})"


def shape_defaults(shape: type[Shape]) -> dict[str, float]:
    """What can be set of a shape, and what it is otherwise."""
    return {field.name: getattr(shape(), field.name) for field in fields(shape)}


def _one_a_line(preset: Preset) -> str:
    """A pipeline as it may be written into a file."""
    return "\n| ".join(map(spell, parse(preset.text(SHOWN_WORKERS))))
