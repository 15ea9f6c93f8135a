"""An expectation's figures in one line: value, interval, limit, pairs, and what would settle it."""

from harness.judging.figures import amount
from harness.judging.pairs.cell import CellResult
from harness.judging.pairs.gate_amount import amount_of
from harness.judging.pairs.gate_result import ObjectiveResult
from harness.judging.result import Measure


def figures(result: ObjectiveResult) -> str:
    """`x3.42 [2.90..4.10], at most x1.5 of the control; 8 pairs, 336 requests each`."""
    bound, against = result.bound.partition("_vs_")[::2]
    limit = f"at {'most' if bound == 'max' else 'least'} {amount_of(result.limit, result.unit)}"
    limit += f" of the {against}" if against else ""
    value = "not to be had"
    if result.value is not None and result.lower is not None and result.upper is not None:
        shown = [amount_of(each, result.unit) for each in (result.value, result.lower, result.upper)]
        value = f"{shown[0]} [{shown[1]}..{shown[2]}]"
    settle = f"to settle it: {result.settle}" if result.settle else ""
    return "; ".join(filter(None, (f"{value}, {limit}", _evidence(result), result.why, settle)))


def spread_figures(cell: CellResult, worst: Measure | None) -> str:
    return cell.headline if worst is None else f"{cell.headline}, {_measure(worst)}"


def _measure(measure: Measure) -> str:
    shown = [amount(value) for value in (measure.value, measure.lower, measure.upper)]
    return f"{measure.name} {shown[0]} [{shown[1]}..{shown[2]}], mild from {amount(measure.mild)}"


def _evidence(result: ObjectiveResult) -> str:
    requests = f", {result.samples} requests each" if result.samples is not None else ""
    return f"{result.pairs} of {len(result.each)} pairs{requests}"
