"""Figures as people read them, short enough for a table: `2ms`, `0.61s`, `12s`, `97%`."""

from math import isinf


def seconds(value: float | None) -> str:
    """`never` for infinity, `-` where there is no figure."""
    if value is None:
        return "-"
    if isinf(value):
        return "never"
    if value < 0.0995:
        return f"{value * 1e3:.0f}ms"
    return f"{value:.2f}s" if value < 0.995 else f"{value:.1f}s" if value < 9.95 else f"{value:.0f}s"


def count(value: float | None) -> str:
    """A mean number of something: one decimal below ten."""
    if value is None:
        return "-"
    if abs(value) < 0.05:
        return "0"
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def factor(value: float) -> str:
    return "xinf" if isinf(value) else f"x{value:.2f}" if value < 9.95 else f"x{value:.0f}"


def amount(value: float) -> str:
    """Three digits of whatever unit, never as a power of ten: `0`, `0.00015`, `4.81`, `1,500`."""
    if abs(value) < 1e-4:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
