"""Several runs side by side: the same hops and callers under each, so that the eye can do the comparing."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from harness.judging.figures import count, seconds, share
from harness.judging.plain_text import plain
from harness.judging.result import Place, RunResult, Verdict
from harness.judging.severity import not_monotonic
from harness.reporting.cells import COLOURS, SPAN, Form, broken, facts, mark, trend, verdict_line
from harness.reporting.names import Names
from harness.reporting.run_report import evidence, padding, place_label, shown_places

LABEL = 16  # columns of the names on the left
CELL = 20  # columns of a run, enough for `0.50 > 0.49 > 0.50 s`
GAP = 1

Row = tuple[str, list[Text]]


def comparison(results: Sequence[RunResult], width: int) -> Iterator[RenderableType]:
    """Verdict lines, then tables of as many runs as fit beside each other, then the laws."""
    names = Names(result.setting.preset for result in results)
    for result in results:
        yield verdict_line(result.verdict, names.title(result), result.headline)
    yield from names.legend()
    at_once = max(1, (width - LABEL - GAP) // (CELL + GAP))
    for first in range(0, len(results), at_once):
        yield Text()
        yield from _side_by_side(results[first : first + at_once], names)
    yield Text()
    yield from _notes(results, names)


def _side_by_side(results: Sequence[RunResult], names: Names) -> Iterator[RenderableType]:
    rows = [("", [Text(plain(r.setting.scenario), style="bold") for r in results])]
    rows += [("", [Text(names[r.setting.preset], style="bold") for r in results])]
    if any(r.setting.fault_ordered for r in results):
        rows += [("", [Text(broken(plain(r.setting.fault_ordered), CELL)) for r in results])]
    yield _table([*rows, ("", [_verdict(r) for r in results])])
    yield Text(f"{SPAN}{mark(_most_faulted(results))}", style="dim")
    for heading, rows in _sections(results):
        if rows:
            yield Text(heading, style="bold")
            yield _table(rows)


def _sections(results: Sequence[RunResult]) -> Iterator[tuple[str, list[Row]]]:
    workers = "workers" if _most_faulted(results) > 1 else "worker"
    yield "slots in use", _place_rows(results, "in_use", count)
    yield "waiting for a slot", _place_rows(results, "waiting", count)
    yield "time through, median", _place_rows(results, "hop_s.p50", seconds)
    yield "bystanders: latency, median", _caller_rows(results, "e2e_s.p50_all", seconds, bystander=True)
    yield "bystanders: answered in time", _caller_rows(results, "goodput_ratio", share, bystander=True)
    yield (
        f"callers of the faulted {workers}: answered in time",
        _caller_rows(results, "goodput_ratio", share, bystander=False),
    )
    yield (
        "price",
        [
            ("GPUs billed", [trend(r.metrics.get("gpus_billed"), count) for r in results]),
            ("tokens/s", [trend(r.metrics.get("tokens_per_s"), count) for r in results]),
            ("attempts/request", [trend(r.metrics.get("retry_amplification"), count) for r in results]),
            ("tokens unused", [trend(r.metrics.get("wasted_token_ratio"), share) for r in results]),
        ],
    )


def _most_faulted(results: Sequence[RunResult]) -> int:
    return max(len(result.setting.faulted_workers) for result in results)


def _place_rows(results: Sequence[RunResult], metric: str, form: Form) -> list[Row]:
    places = [{place_label(place): place for place in shown_places(r)} for r in results]
    rows = [
        (label, [_place_cell(each.get(label), metric, form) for each in places])
        for label in dict.fromkeys(label for each in places for label in each)
    ]
    return [(label, cells) for label, cells in rows if any(cell.plain != "-" for cell in cells)]


def _place_cell(place: Place | None, metric: str, form: Form) -> Text:
    if place is None:
        return Text("-")
    return trend(place.metrics.get(metric), form, alarm=place.full_after_s is not None)


def _caller_rows(results: Sequence[RunResult], metric: str, form: Form, *, bystander: bool) -> list[Row]:
    names = dict.fromkeys(c.name for r in results for c in r.callers if c.bystander is bystander)
    return [
        (plain(name), [_caller_cell(r, name, metric, form, bystander) for r in results]) for name in names
    ]


def _caller_cell(result: RunResult, name: str, metric: str, form: Form, bystander: bool) -> Text:
    proved = any(m.about == name and m.deciding and m.proved for m in result.measures)
    found = [c for c in result.callers if c.name == name and c.bystander is bystander]
    return trend(found[0].metrics.get(metric), form, alarm=proved) if found else Text("-")


def _verdict(result: RunResult) -> Text:
    spread = any(measure.deciding and measure.proved for measure in result.measures)
    words = {Verdict.PASS: " contained", Verdict.FAIL: " spread" if spread else " SLO broken"}
    return Text(f"{result.verdict}{words.get(result.verdict, '')}", style=f"bold {COLOURS[result.verdict]}")


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
    table.add_column(width=LABEL, overflow="fold")
    for _ in rows[0][1]:
        table.add_column(width=CELL, overflow="fold")
    for label, cells in rows:
        table.add_row(Text(label), *cells)
    return table


def _notes(results: Sequence[RunResult], names: Names) -> Iterator[RenderableType]:
    for result in results:
        yield Text(names.title(result), style="bold")
        yield facts(evidence(result))
    yield facts(
        ("severity", plain(words, limit=600)) for words in not_monotonic([[result] for result in results])
    )
    yield facts(padding(results[0]))
