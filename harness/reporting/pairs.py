"""Several pairs of one cell, for a terminal or a pipe: the verdict, then what the pairs say together."""

from collections.abc import Iterator

from rich.text import Text

from harness.judging.pairs.cell import CellResult
from harness.judging.pairs.score import PolicyScore
from harness.judging.percentiles import label
from harness.judging.plain_text import plain
from harness.judging.result import Measure
from harness.judging.wilson import chance
from harness.reporting.cells import WORD, verdict_line
from harness.reporting.names import Names
from harness.reporting.run_report import travelled


def pair_lines(cell: CellResult, score: PolicyScore | None = None, dead: str = "") -> Iterator[Text]:
    """To be printed without folding: a replay token is one word."""
    names = Names([cell.setting.preset])
    yield verdict_line(cell.verdict, names.title(cell.pairs[0].fault), plain(cell.headline, 400))
    deciding = [measure for measure in cell.measures if measure.deciding]
    width = max((len(_name(measure)) for measure in deciding), default=0)
    yield from (_measure(measure, width) for measure in deciding)
    for word, rest in _facts(cell, score, dead):
        yield Text.assemble((f"  {word:<{WORD}} ", "bold"), rest)


def _measure(measure: Measure, width: int) -> Text:
    mark = "x" if measure.proved else "~" if measure.upper > measure.mild else "+"
    figures = f"{measure.value:.3g} [{measure.lower:.3g}..{measure.upper:.3g}]"
    style = "bold red" if measure.proved else ""
    return Text(f"  {mark} {_name(measure):<{width}}  {figures:<22}  mild from {measure.mild:g}", style=style)


def _name(measure: Measure) -> str:
    which = f" {label(measure.quantile)}" if measure.quantile is not None else ""
    return f"{measure.name} of {measure.about}{which}" if measure.about else measure.name


def _facts(cell: CellResult, score: PolicyScore | None, dead: str) -> Iterator[tuple[str, str]]:
    if cell.spread.of:
        yield "spread", f"{chance(cell.spread.hits, cell.spread.of)} of {cell.spread.of} pairs by themselves"
    runs = [pair.fault for pair in cell.pairs if pair.fault.order]
    if runs:
        yield from travelled(max(runs, key=lambda run: len(run.order)))
    yield "law", plain(cell.law.words, 400)
    if cell.law.contradicted:
        yield "", f"CONTRADICTED: {cell.law.contradicted}. Please report this as a bug."
    if score is not None:
        yield "score", score.words
    if dead:
        yield "dead", dead
    for guard in cell.guards:
        yield "checks", f"{'ok' if guard.ok else 'not ok'}: {plain(guard.words)}"
    first = cell.pairs[0]
    if first.fault.replay:
        yield "again", f"limplock replay {first.fault.replay} (seed {first.seed})"
