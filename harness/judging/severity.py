"""Whether a larger fault did more damage. It need not: what is just above a timeout is cut off by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from harness.judging.brief import during, worst_latency_s
from harness.judging.figures import seconds, share
from harness.judging.result import RunResult, Verdict

LESS_RATIO = 0.9  # less than this share of the damage is clearly less
FLOOR_S, FLOOR_RATIO = 0.05, 0.02  # damage up to here is none


@dataclass(frozen=True, slots=True)
class _Damage:
    """A figure that rises with the damage, None where it is not to be had."""

    what: str
    figure: Callable[[RunResult], float | None]
    form: Callable[[float | None], str]
    floor: float


def _lost(result: RunResult) -> float | None:
    kept = during(result, "touched_goodput_ratio")
    return None if kept is None else 1 - kept


def _held(result: RunResult) -> float | None:
    found = next((m for m in result.measures if m.name == "slot_capture"), None)
    return None if found is None else found.during


_DAMAGES = (  # worst first
    _Damage("bystanders wait", worst_latency_s, seconds, FLOOR_S),
    _Damage("requests that may meet it fail or are late:", _lost, share, FLOOR_RATIO),
    _Damage("of the slots that fill first the faulted worker holds", _held, share, FLOOR_RATIO),
)

Group = Sequence[RunResult]  # the same run with one seed or several


def not_monotonic(groups: Sequence[Group]) -> list[str]:
    """One sentence for each preset under which a larger fault of the same kind did less damage."""
    kinds: dict[tuple[str, str, str], list[Group]] = {}
    for group in groups:
        setting, bite = group[0].setting, group[0].bite
        if bite is not None:
            kinds.setdefault((setting.scenario, setting.preset, f"{bite.kind} {bite.quantity}"), []).append(
                group
            )
    found = (_sentence(preset, series) for (_, preset, _), series in kinds.items() if len(series) > 1)
    return [sentence for sentence in found if sentence]


def _sentence(preset: str, series: Sequence[Group]) -> str:
    by_size = sorted(series, key=_size)
    for damage in _DAMAGES:
        sizes = [(group, figure) for group in by_size if (figure := _median(damage, group)) is not None]
        for (small, worse), (large, better) in pairwise(sizes):
            if worse > damage.floor and better < LESS_RATIO * worse:
                return (
                    f"damage is not monotonic under {preset}: {damage.what} {damage.form(worse)} with"
                    f" {_name(small)}, {damage.form(better)} with the larger {_name(large)}"
                )
    return ""


def _size(group: Group) -> float:
    bite = group[0].bite
    asked = bite.asked if bite is not None else 0.0
    return -asked if bite is not None and bite.less else asked


def _median(damage: _Damage, group: Group) -> float | None:
    """None where some seeds spread and others were contained: what lies in the middle happens in none."""
    if {Verdict.FAIL, Verdict.PASS} <= {result.verdict for result in group}:
        return None
    figures = [figure for figure in map(damage.figure, group) if figure is not None]
    return median(figures) if figures else None


def _name(group: Group) -> str:
    setting = group[0].setting
    return setting.fault_text or setting.fault
