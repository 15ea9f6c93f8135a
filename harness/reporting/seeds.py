"""The same runs with many seeds: how often which verdict, and how far the figures range.

Near a critical point a run either spreads or is contained, and what lies between the two happens in none. So
the share that spread is told with its interval, and figures are told of each verdict apart.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from rich.console import Group, RenderableType
from rich.text import Text

from harness.judging.brief import during, worst_latency_s
from harness.judging.figures import seconds, share
from harness.judging.plain_text import plain
from harness.judging.result import RunResult, Verdict
from harness.judging.severity import not_monotonic
from harness.judging.wilson import chance
from harness.reporting.cells import facts, grid, verdict_line
from harness.reporting.names import Names

LABEL = 40  # columns of the names on the left, at most
ODD = 3  # seeds that came out otherwise, each shown with its token
_WORST_FIRST = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
_WORDS = {Verdict.PASS: "contained", Verdict.FAIL: "spread", Verdict.INCONCLUSIVE: "inconclusive"}

Figure = Callable[[RunResult], float | None]


def render_seeds(results: Sequence[RunResult]) -> RenderableType:
    """One line for each preset and one row for each verdict under it, then the seeds that stand out."""
    groups = alike(results)
    names = Names(result.setting.preset for result in results)
    lines = [_line(group, names) for group in groups]
    notes = [("severity", plain(words, limit=600)) for words in not_monotonic(groups)]
    table = _table(groups, names)
    return Group(*lines, *names.legend(), Text(), table, Text(), facts([*notes, *_odd(groups, names)]))


def alike(results: Sequence[RunResult]) -> list[list[RunResult]]:
    """Runs of which only the seeds differ, together."""
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for result in results:
        groups.setdefault((result.setting.preset, result.setting.fault_ordered), []).append(result)
    return list(groups.values())


def _line(group: Sequence[RunResult], names: Names) -> Text:
    counts = Counter(result.verdict for result in group)
    worst = next(verdict for verdict in _WORST_FIRST if counts[verdict])
    return verdict_line(worst, names.title(group[0]), _torn(counts) or _counted(counts))


def _counted(counts: Counter[Verdict]) -> str:
    words = ", ".join(f"{counts[v]} {_WORDS[v]}" for v in _WORST_FIRST if counts[v])
    return f"of {counts.total()} seeds {words}"


def _torn(counts: Counter[Verdict]) -> str:
    """How likely it is to spread, of the runs that decided; empty where all of these came out alike."""
    spread, decided = counts[Verdict.FAIL], counts[Verdict.FAIL] + counts[Verdict.PASS]
    if spread in (0, decided):
        return ""
    more = f"; {left} more inconclusive" if (left := counts[Verdict.INCONCLUSIVE]) else ""
    return f"spread in {spread} of {decided} runs, {chance(spread, decided)}{more}"


def _modes(group: Sequence[RunResult]) -> list[Sequence[RunResult]]:
    """The runs of each verdict, the worst first."""
    each = [[result for result in group if result.verdict is verdict] for verdict in _WORST_FIRST]
    return [mode for mode in each if mode]


def _label(mode: Sequence[RunResult], group: Sequence[RunResult], names: Names) -> str:
    name = names.label(mode[0])
    return name if len(mode) == len(group) else f"{name},\n{len(mode)} {_WORDS[mode[0].verdict]}"


def _table(groups: Sequence[Sequence[RunResult]], names: Names) -> RenderableType:
    modes = [(mode, group) for group in groups for mode in _modes(group)]
    labels = [_label(mode, group, names) for mode, group in modes]
    width = min(LABEL, max(len(line) for label in ["in the fault", *labels] for line in label.splitlines()))
    columns: list[tuple[str, int | None]] = [("in the fault", width)]
    columns += [("bystanders in time", None), ("their median latency", None)]
    columns += [("touched in time", None), ("slots gone after", None), ("detected after", None)]
    return grid(columns, (_row(label, mode) for label, (mode, _) in zip(labels, modes, strict=True)))


def _row(name: str, group: Sequence[RunResult]) -> list[Text]:
    return [
        Text(name),
        _span(group, lambda r: during(r, "bystander_goodput_ratio"), share),
        _span(group, worst_latency_s, seconds),
        _span(group, lambda r: during(r, "touched_goodput_ratio"), share),
        _span(group, lambda r: r.law.measured_s, seconds),
        _span(group, lambda r: during(r, "detection_s"), seconds),
    ]


def _span(group: Sequence[RunResult], figure: Figure, form: Callable[[float | None], str]) -> Text:
    """`97% (95% to 99%)`: the median and the range over the seeds that have the figure."""
    values = [value for value in map(figure, group) if value is not None]
    if not values:
        return Text("-")
    few = f", {len(values)} of {len(group)}" if len(values) < len(group) else ""
    return Text(f"{form(median(values))} ({form(min(values))} to {form(max(values))}{few})")


def _odd(groups: Sequence[Sequence[RunResult]], names: Names) -> Iterator[tuple[str, str]]:
    for result in odd_ones(groups):
        what = f"{names.label(result)} seed {result.setting.seed}: {result.verdict}"
        yield "odd one", f"{what}, {plain(result.headline)}"


def odd_ones(groups: Sequence[Sequence[RunResult]]) -> Iterator[RunResult]:
    """A few of each group whose verdict is not the usual one."""
    for group in groups:
        usual = Counter(result.verdict for result in group).most_common(1)[0][0]
        yield from [result for result in group if result.verdict != usual][:ODD]
