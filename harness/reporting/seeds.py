"""The same runs with many seeds: how often which verdict, and how far the figures range."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from rich.console import Group, RenderableType
from rich.text import Text

from harness.judging.brief import during, worst_latency_s
from harness.judging.figures import seconds, share
from harness.judging.plain_text import plain
from harness.judging.result import RunResult, Verdict
from harness.reporting.cells import facts, grid, verdict_line

ODD = 3  # seeds that came out otherwise, each shown with its token
_WORST_FIRST = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
_WORDS = {Verdict.PASS: "contained", Verdict.FAIL: "spread", Verdict.INCONCLUSIVE: "inconclusive"}

Figure = Callable[[RunResult], float | None]


def render_seeds(results: Sequence[RunResult]) -> RenderableType:
    """One line and one row for each preset, then the seeds that stand out."""
    presets = dict.fromkeys(result.setting.preset for result in results)
    groups = {name: [r for r in results if r.setting.preset == name] for name in presets}
    lines = [_line(group) for group in groups.values()]
    return Group(*lines, Text(), _table(groups), Text(), facts(_odd(groups)))


def _line(group: Sequence[RunResult]) -> Text:
    counts = Counter(result.verdict for result in group)
    worst = next(verdict for verdict in _WORST_FIRST if counts[verdict])
    words = ", ".join(f"{counts[v]} {_WORDS[v]}" for v in _WORST_FIRST if counts[v])
    title = f"{group[0].setting.scenario} x {group[0].setting.preset}"
    return verdict_line(worst, title, f"of {len(group)} seeds {words}")


def _table(groups: dict[str, list[RunResult]]) -> RenderableType:
    longest = max(map(len, groups))
    columns: list[tuple[str, int | None]] = [("in the fault", max(longest, len("in the fault")))]
    columns += [("bystanders in time", None), ("their median latency", None)]
    columns += [("touched in time", None), ("slots gone after", None)]
    return grid(columns, (_row(name, group) for name, group in groups.items()))


def _row(name: str, group: Sequence[RunResult]) -> list[Text]:
    return [
        Text(plain(name)),
        _span(group, lambda r: during(r, "bystander_goodput_ratio"), share),
        _span(group, worst_latency_s, seconds),
        _span(group, lambda r: during(r, "touched_goodput_ratio"), share),
        _span(group, lambda r: r.law.measured_s, seconds),
    ]


def _span(group: Sequence[RunResult], figure: Figure, form: Callable[[float | None], str]) -> Text:
    """`97% (95% to 99%)`: the median and the range over the seeds that have the figure."""
    values = [value for value in map(figure, group) if value is not None]
    if not values:
        return Text("-")
    few = f", {len(values)} of {len(group)}" if len(values) < len(group) else ""
    return Text(f"{form(median(values))} ({form(min(values))} to {form(max(values))}{few})")


def _odd(groups: dict[str, list[RunResult]]) -> Iterator[tuple[str, str]]:
    for group in groups.values():
        usual = Counter(result.verdict for result in group).most_common(1)[0][0]
        for result in [r for r in group if r.verdict != usual][:ODD]:
            what = f"{result.setting.preset} seed {result.setting.seed}: {result.verdict}"
            yield "odd one", f"{what}, {plain(result.headline)}; limplock replay {result.replay}"
