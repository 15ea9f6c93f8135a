"""A virtual run beside the real run of the same plan, for a terminal or a pipe."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isinf

from rich.console import Group, RenderableType
from rich.text import Text

from harness.judging.fidelity import MIDDLE_RATIO, PHASES, TAIL_RATIO, Fidelity, Row
from harness.judging.figures import count, seconds
from harness.judging.plain_text import plain
from harness.judging.result import RunResult, Verdict
from harness.reporting.cells import facts, grid, verdict_line
from harness.reporting.names import Names

NAMED = 4  # figures outside their tolerance that the summary names
LABEL = 16  # columns of the names on the left
CELL = 19  # columns of a phase, the mark included: three of them and the names fit 80
_HEADING = "{:>5} {:>5} {:>6}".format("real", "virt.", "ratio")


def render_fidelity(found: Sequence[Fidelity]) -> RenderableType:
    """One line that is enough alone, then a table for each scenario and preset."""
    results = [each.pairs[0][0] if each.pairs else each.undecided[0] for each in found]
    names = Names(result.setting.preset for result in results)
    found = [replace(each, title=names.title(of)) for each, of in zip(found, results, strict=True)]
    parts: list[RenderableType] = [Text(summary(found), style="bold"), *names.legend()]
    for fidelity in found:
        parts += [Text(), *_part(fidelity)]
    return Group(*parts)


def summary(found: Sequence[Fidelity]) -> str:
    """`virtual is within 20 % ... in 70 of 74 figures; outside: ...`."""
    judged = [fidelity for fidelity in found if fidelity.verdict is not Verdict.INCONCLUSIVE]
    outside = [f"{_short(row)} ({each.title})" for each in judged for row in _worst_first(each.outside)]
    outside[:0] = [f"verdict ({each.title})" for each in judged if not each.verdicts_agree]
    total = sum(len(each.rows) + 1 for each in judged)
    words = (
        f"virtual is within {MIDDLE_RATIO:.0%} of real on goodput, medians and slots, within {TAIL_RATIO:.0%}"
        f" on p95 and p99, in {total - len(outside)} of {total} figures"
    )
    if outside:
        words += f"; outside: {_some(outside)}"
    left_out = [each.title for each in found if each.verdict is Verdict.INCONCLUSIVE]
    if left_out:
        words = (words if judged else "nothing was compared") + f"; undecided: {', '.join(left_out)}"
    return words


def _part(fidelity: Fidelity) -> Iterator[RenderableType]:
    yield verdict_line(fidelity.verdict, fidelity.title, _headline(fidelity))
    yield facts(_facts(fidelity))
    columns = [("", LABEL), *((f"{phase:>{CELL - 1}}\n{_HEADING}", CELL) for phase in PHASES)]
    yield grid(columns, _lines(fidelity.rows, judged=fidelity.decided))


def _headline(fidelity: Fidelity) -> str:
    if not fidelity.decided:
        return "the real run decided nothing, so that nothing is compared; is the machine busy?"
    if not fidelity.rows:
        return "neither side measured anything that could be compared"
    rows, outside = len(fidelity.rows), len(fidelity.outside)
    marks = ", ! marks the others" if outside else ""
    words = f"{rows - outside} of {rows} figures within tolerance{marks}"
    return words if fidelity.verdicts_agree else f"other verdicts; {words}"


def _facts(fidelity: Fidelity) -> Iterator[tuple[str, str]]:
    pairs = fidelity.pairs
    if pairs:
        real, virtual = (_verdicts(side) for side in zip(*pairs, strict=True))
        yield "verdict", f"real {real}, virtual {virtual}" + ("" if fidelity.verdicts_agree else " !")
    for result in fidelity.undecided:
        yield "left out", f"seed {result.setting.seed}: {_why(result)}"


def _verdicts(results: Iterable[RunResult]) -> str:
    """`FAIL`, or `2 PASS, 1 FAIL` of several."""
    counts = Counter(result.verdict for result in results)
    if counts.total() == 1:
        return str(next(iter(counts)))
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def _why(result: RunResult) -> str:
    """The words of the broken guards, or else the headline."""
    broken = [guard.words for guard in result.guards if not guard.ok]
    return plain("; ".join(broken) or result.headline, limit=400)


def _lines(rows: Sequence[Row], *, judged: bool) -> Iterator[list[Text]]:
    """A line for each figure, with its phases side by side, below the name of its caller or hop."""
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        cells.setdefault((row.where, row.figure.label), {})[row.phase] = row
    above = ""
    for (where, label), phases in cells.items():
        alone = label == "in use"
        heading = "slots in use" if alone else where
        if heading != above:
            above = heading
            yield [Text(plain(heading), style="bold"), *[Text()] * len(PHASES)]
        shown = [_cell(phases.get(phase), judged=judged) for phase in PHASES]
        yield [Text(f"  {plain(where) if alone else label}"), *shown]


def _cell(row: Row | None, *, judged: bool) -> Text:
    """`  62ms   59ms  x0.95!`."""
    if row is None:
        return Text(f"{'-':>5} {'-':>5} {'-':>6}")
    alarm = judged and not row.ok
    words = f"{_value(row, row.real):>5} {_value(row, row.virtual):>5} {_apart(row):>6}"
    return Text(words + "!" * alarm, style="bold red" if alarm else "")


def _value(row: Row, value: float | None) -> str:
    if value is None:
        return "-"
    return seconds(value) if row.figure.unit == "s" else count(value)


def _apart(row: Row) -> str:
    """`x0.95`; `+3ms` where both are too small for a ratio, `same` where both are infinite or zero.

    `real` or `virt.` where only that side has the figure.
    """
    if row.real is None or row.virtual is None or row.ratio is None:
        return "virt." if row.real is None else "real"
    if row.real == row.virtual:
        return "same"
    if row.small:
        difference = row.virtual - row.real
        return f"{difference * 1e3:+.0f}ms" if row.figure.unit == "s" else f"{difference:+.2f}"
    if isinf(row.ratio):
        return "xinf"
    return f"x{row.ratio:.2f}" if row.ratio < 9.95 else f"x{row.ratio:.0f}"


def _short(row: Row) -> str:
    """`chat TTFT p50 during x0.60`."""
    return f"{plain(row.where)} {row.figure.label} {row.phase} {_apart(row)}"


def _worst_first(rows: Sequence[Row]) -> list[Row]:
    """How often one holds the other, either way."""
    return sorted(rows, key=lambda row: min(row.ratio, 1 / row.ratio) if row.ratio else 0.0)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
