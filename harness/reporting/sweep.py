"""A sweep as people read it: the answer for each preset, its grid, and the danger zone beside the law.

Pure functions of the rows. The tables adapt to the width; without colour they are plain ASCII.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from harness.judging.danger_zone import Split, Zone, find_zone
from harness.judging.plain_text import plain
from harness.judging.result import Verdict
from harness.judging.swept import Axes, Cell, Swept, by_factor, count
from harness.judging.wilson import chance
from harness.reporting.cells import COLOURS, facts, grid
from harness.reporting.names import Names
from harness.reporting.zone_words import times, zone_summary, zone_words

GAP = 2  # columns between columns
MOST_KINDS = 2  # of reasons for which runs are inconclusive
_DIGITS = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class _Block:
    """One preset with one number of slow workers."""

    preset: str
    slow: int
    axes: Axes
    cells: dict[Cell, Split]
    rows: list[Swept]

    def along(self, load: float) -> dict[float, Split]:
        return by_factor(self.cells, self.preset, self.slow, load)

    def zones(self) -> dict[float, Zone]:
        return {load: find_zone(self.along(load)) for load in self.axes.loads}


def render_sweep(scenario: str, pool: int, axes: Axes, rows: Sequence[Swept]) -> RenderableType:
    """`pool`: number of workers. Cells that have not run yet are shown as `-`."""
    return _Sweep(scenario, pool, axes, rows)


class _Sweep:
    """Decides at rendering time, when the width is known."""

    def __init__(self, scenario: str, pool: int, axes: Axes, rows: Sequence[Swept]) -> None:
        self._scenario, self._pool, self._axes = scenario, pool, axes
        self._blocks = list(_blocks(axes, rows))
        self._names = Names(axes.presets)
        self._done = sum(row.cell.factor in axes.factors for row in rows)

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        title = f"{self._scenario}, {self._pool} workers: where contained turns into spread"
        yield Text(plain(title), style="bold")
        if self._done < (runs := self._axes.cells * self._axes.seeds):
            yield Text(f"PARTIAL: {self._done} of the {runs} runs of the grid", style="bold yellow")
        yield from self._names.legend()
        yield facts_of((self._name(block), zone_summary(block.zones())) for block in self._blocks)
        for block in self._blocks:
            yield Text()
            yield from self._block(block, options.max_width)

    def _block(self, block: _Block, width: int) -> Iterator[RenderableType]:
        yield Text(f"{self._names[block.preset]}, {block.slow} of {self._pool} workers slow", style="bold")
        for table in _tables(block, width):
            yield table
            yield Text()
        yield _zone_table(block)
        notes = list(_notes(block))
        if notes:
            yield Text()
            yield facts(notes)

    def _name(self, block: _Block) -> str:
        several = len(self._axes.slow) > 1
        name = self._names[block.preset]
        return f"{name}, {block.slow} slow" if several else name


def facts_of(lines: Iterator[tuple[str, str]]) -> Table:
    """As `facts`, the first column as wide as its words."""
    return _bare([[Text(plain(word), style="bold"), Text(rest)] for word, rest in lines])


def _bare(rows: Sequence[Sequence[Text]]) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _blocks(axes: Axes, rows: Sequence[Swept]) -> Iterator[_Block]:
    for preset in axes.presets:
        for slow in axes.slow:
            mine = [row for row in rows if (row.cell.preset, row.cell.slow) == (preset, slow)]
            yield _Block(preset, slow, axes, count(mine, axes.seeds), mine)


def _tables(block: _Block, width: int) -> Iterator[Table]:
    """Rows are factors, columns loads; as many tables side by side as the loads need, one below another."""
    columns = [(f"load {load:g}", _column(block, load)) for load in block.axes.loads]
    names = [times(factor) for factor in block.axes.factors]
    room = width - max(map(len, [*names, "factor"])) - GAP
    for group in _fitting(columns, room):
        rows = ([Text(name), *(cells[at] for _, cells in group)] for at, name in enumerate(names))
        yield grid([("factor", None), *((heading, None) for heading, _ in group)], rows)


def _column(block: _Block, load: float) -> list[Text]:
    along = block.along(load)
    return [_cell(along.get(factor)) for factor in block.axes.factors]


def _fitting(columns: list[tuple[str, list[Text]]], room: int) -> Iterator[list[tuple[str, list[Text]]]]:
    group: list[tuple[str, list[Text]]] = []
    left = room
    for heading, cells in columns:
        needs = GAP + max(len(heading), *(len(cell.plain) for cell in cells))
        if group and needs - GAP > left:
            yield group
            group, left = [], room
        group.append((heading, cells))
        left -= needs
    yield group


def _cell(split: Split | None) -> Text:
    """`contained`, `spread`, `2 spread, 1 contained`, `1 contained, 2 ?` (undecided or not run), `?`, `-`."""
    if split is None:
        return Text("-")
    if not split.decided:
        return Text("?", style=COLOURS[Verdict.INCONCLUSIVE])
    if split.all_contained:
        return Text("contained", style=COLOURS[Verdict.PASS])
    if split.all_spread:
        return Text("spread", style=COLOURS[Verdict.FAIL])
    parts = ((split.spread, "spread"), (split.contained, "contained"), (split.seeds - split.decided, "?"))
    words = ", ".join(f"{number} {word}" for number, word in parts if number)
    return Text(words, style=COLOURS[Verdict.INCONCLUSIVE])


def _zone_table(block: _Block) -> Table:
    rows = []
    for load, zone in block.zones().items():
        rows.append([Text(f"{load:g}"), Text(zone_words(zone)), Text(_law(block, load))])
        along = block.along(load)
        rows += [[Text(), _chance(factor, along[factor]), Text()] for factor in zone.torn]
    law = "law: saturates from" if all(row.law_applies for row in block.rows) else "law without a policy"
    return grid([("load", None), ("danger zone", None), (law, None)], rows)


def _chance(factor: float, split: Split) -> Text:
    """Of spread, over the seeds that decided."""
    words = f"{split.spread} of {split.decided} spread, {chance(split.spread, split.decided)}"
    return Text(f"{times(factor)}: {words}")


def _law(block: _Block, load: float) -> str:
    """A worker saturates if and only if rho * s > 1; that spreads unless the slots hold all that it can."""
    known = [row for row in block.rows if row.cell.load == load and row.rho]
    if not known:
        return "-"
    onset = 1 / median(row.rho for row in known if row.rho)
    filling = [row.must_fill for row in known if row.cell.factor > onset]
    enough = bool(filling) and all(must is False for must in filling)
    return times(onset) + (", slots suffice" if enough else "")


def _notes(block: _Block) -> Iterator[tuple[str, str]]:
    spread = [row for row in block.rows if row.verdict is Verdict.FAIL]
    if spread:
        yield "spread", f"mildest at {_told(min(spread, key=_mildness))}"
    unsure = [row for row in block.rows if row.verdict is Verdict.INCONCLUSIVE]
    for kind, number in Counter(map(_kind, unsure)).most_common(MOST_KINDS):
        mildest = min((row for row in unsure if _kind(row) == kind), key=_mildness)
        yield "?", f"{number} inconclusive, as at {_told(mildest)}"
    against = [row for row in block.rows if row.contradicted]
    if against:
        yield "law", f"contradicted by {len(against)} of {len(block.rows)} runs: {_first(against)}"


def _mildness(row: Swept) -> tuple[float, float, int]:
    return row.cell.factor, row.cell.load, row.seed


def _told(row: Swept) -> str:
    return f"{row.cell.words}: {plain(row.headline.removeprefix('inconclusive: '))}"


def _first(rows: Sequence[Swept]) -> str:
    row = min(rows, key=_mildness)
    return f"{plain(row.contradicted)}; limplock replay {row.replay}"


def _kind(row: Swept) -> str:
    """The same reason with other figures is the same."""
    return _DIGITS.sub("#", row.headline)
