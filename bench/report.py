"""What a measurement says, and how it is printed: each figure with its aim and whether it was met."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number. At most one of the two bounds is set; without a bound it is for information."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the aim was met, None if there is none."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least

    @property
    def aim(self) -> str:
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What one file of this folder measured. `how` and `notes` are single lines."""

    title: str
    how: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


_VERDICT = {True: "met", False: "NOT MET", None: ""}


def render(section: Section) -> str:
    """The section as text: title, how it was measured, one row a figure, notes."""
    rows = [(f.name, number(f.value), f.unit, f.aim, _VERDICT[f.met]) for f in section.figures]
    names, values, units, aims, _ = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [section.title, f"  {section.how}"]
    for name, value, unit, aim, verdict in rows:
        row = f"    {name:<{names}}  {value:>{values}} {unit:<{units}}  {aim:<{aims}}  {verdict}"
        lines.append(row.rstrip())
    lines += [f"  {note}" for note in section.notes]
    return "\n".join(lines)


def number(value: float) -> str:
    """Three significant digits, and all digits before the point."""
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:,.0f}"
