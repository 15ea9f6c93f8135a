"""A figure that one pair has once: no resampling of its seconds tells how sure it is, only more pairs do."""

from harness.judging.result import Measure


def certain(
    name: str,
    about: str,
    value: float,
    thresholds: tuple[float, float],
    *,
    lower: float | None = None,
    less: bool = False,
    deciding: bool = False,
    before: float | None = None,
    during: float | None = None,
) -> Measure:
    """`thresholds`: mild and severe. `lower`: of what is infinite since nobody saw the end of it."""
    return Measure(
        name=name, about=about, value=value, lower=value if lower is None else lower, upper=value,
        mild=thresholds[0], severe=thresholds[1], deciding=deciding, less=less, before=before, during=during,
    )  # fmt: skip
