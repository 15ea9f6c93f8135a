"""The tables of `limplock calibrate`: constants, and how far they are off."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

from harness.calibration.fit import error_ratio, errors_of
from harness.calibration.steps import Timed
from harness.serving.cost_model import Costs

KINDS = ("decode", "prefill", "mixed")
BUSY_RATIO = 0.1  # on an idle machine the median error of `tiny` is half of that


def render_calibration(costs: Costs, fitted: Sequence[Timed], checks: Sequence[Timed]) -> RenderableType:
    """Constants, errors by kind of step, and the worst step in words."""
    shown: list[RenderableType] = [
        _constants(costs),
        "",
        _errors(costs, fitted, checks),
        _worst(costs, checks),
    ]
    if errors_of(costs, checks).median_ratio > BUSY_RATIO:
        shown.append("The machine may have been busy: close what keeps it so, then calibrate again.")
    return Group(*shown)


def _constants(costs: Costs) -> Table:
    table = Table("costs", "each", box=box.SIMPLE_HEAD, title=costs.name, title_justify="left")
    table.columns[1].justify = "right"
    for meaning, seconds in (
        ("a step, whatever it holds", costs.fixed_s),
        ("a sequence that generates a further token", costs.sequence_s),
        ("a prompt token of a new sequence", costs.prefill_token_s),
        ("a token in the cache of the running sequences", costs.kv_token_s),
        ("under load, there and back: a hop between callers, services and gateway", costs.hop_s),
        ("the hop through the proxy to a worker", costs.link_s),
        ("how late a padded step ends", costs.late_s),
    ):
        table.add_row(meaning, f"{seconds * 1e6:,.3g} us" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms")
    return table


def _errors(costs: Costs, fitted: Sequence[Timed], checks: Sequence[Timed]) -> Table:
    columns = ("error of a step", "kinds", "median", "p90", "worst")
    table = Table(*columns, box=box.SIMPLE_HEAD)
    for column in table.columns[1:]:
        column.justify = "right"
    groups = {f"not in the fit, {kind}": [s for s in checks if s.work.kind == kind] for kind in KINDS}
    for name, steps in {**groups, "not in the fit, all": checks, "in the fit, all": fitted}.items():
        if steps:
            errors = errors_of(costs, steps)
            shares = (errors.median_ratio, errors.p90_ratio, errors.worst_ratio)
            table.add_row(name, str(errors.steps), *(f"{share:.1%}" for share in shares))
    return table


def _worst(costs: Costs, checks: Sequence[Timed]) -> str:
    step = errors_of(costs, checks).worst
    held = ", ".join(
        f"{count} {what}"
        for count, what in zip(step.work, ("prompt tokens", "running", "in the cache"), strict=True)
        if count
    )
    said_s = costs.step_s(*step.work)
    return (
        f"worst: {held}: took {step.seconds * 1e3:.2f} ms, the model says {said_s * 1e3:.2f} ms"
        f" ({error_ratio(costs, step):+.0%})"
    )
