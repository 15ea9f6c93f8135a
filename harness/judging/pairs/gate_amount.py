"""Figures of objectives as people read them, in the unit of the metric: `x1.43`, `2.1s`, `0.4%`."""

from math import isinf

from harness.judging.figures import amount, factor, seconds


def amount_of(value: float | None, unit: str) -> str:
    """`-` where there is no figure."""
    if value is None:
        return "-"
    match unit:
        case "factor":
            return factor(value)
        case "s":
            return seconds(value)
        case "share":
            return percent(value)
    return "infinite" if isinf(value) else amount(value)


def percent(value: float) -> str:
    """As many digits as tell 99.95 % from 100 %."""
    rest = min(value, 1 - value)
    if rest <= 0:
        return f"{value:.0%}"
    return f"{value:.0%}" if rest >= 0.095 else f"{value:.1%}" if rest >= 0.0095 else f"{value:.2%}"
