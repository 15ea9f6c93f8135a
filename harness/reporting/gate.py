"""What a gate found, for a terminal or a pipe: the verdict, then every objective, also those that held."""

from collections.abc import Iterator

from rich.text import Text

from harness.judging.pairs.gate_amount import amount_of
from harness.judging.pairs.gate_result import GateCell, GateResult, ObjectiveResult
from harness.judging.plain_text import plain
from harness.judging.result import Guard, Verdict
from harness.reporting.cells import COLOURS, WORD, verdict_line
from harness.reporting.names import LONGEST_TEXT, Names
from harness.reporting.run_report import travelled

MARKS = {Verdict.PASS: "+", Verdict.FAIL: "x", Verdict.INCONCLUSIVE: "~"}
WARNED = "!"  # broken, and it does not block
UNSURE = "inconclusive: "

Fact = tuple[str, str]


def first_line(result: GateResult) -> str:
    """Enough alone: the verdict, of whom, and why."""
    name = Names([result.policy])[result.policy]
    return f"{result.verdict}  {result.scenario} x {name}: {plain(result.headline, 400)}"


def gate_lines(result: GateResult) -> Iterator[Text]:
    """To be printed without folding: a replay token is one word."""
    name = Names([result.policy])[result.policy]
    yield verdict_line(result.verdict, f"{result.scenario} x {name}", plain(result.headline, 400))
    if name != plain(result.policy):
        yield _fact(name, plain(result.policy, LONGEST_TEXT))
    for cell in result.cells:
        yield Text()
        yield _title(cell)
        yield from _objectives(cell, result)
        yield from (_fact(*fact) for fact in _facts(cell))
    yield Text()
    yield from (_fact(*fact) for fact in _about(result))


def _fact(word: str, rest: str) -> Text:
    return Text.assemble((f"  {word:<{WORD}} ", "bold"), rest)


def _title(cell: GateCell) -> Text:
    fault = plain(cell.fault) or "no fault"
    pairs = len(cell.cell.pairs)
    return Text.assemble((f"{cell.verdict}", f"bold {COLOURS[cell.verdict]}"), f"  {fault}, {pairs} pairs")


def mark(result: ObjectiveResult) -> str:
    return WARNED if result.verdict is Verdict.FAIL and not result.blocks else MARKS[result.verdict]


def _objectives(cell: GateCell, result: GateResult) -> Iterator[Text]:
    """One line each, with figures under each other; below it what it is about, and what keeps it open."""
    names = [_name(each) for each in cell.objectives]
    figures = [measured(each) for each in cell.objectives]
    limits = [limit_of(each) for each in cell.objectives]
    widths = [max(map(len, column)) for column in (names, figures, limits)]
    for each, *columns in zip(cell.objectives, names, figures, limits, strict=True):
        shown = "  ".join(f"{words:<{width}}" for words, width in zip(columns, widths, strict=True))
        line = f"  {plain(result.file)}:{each.line}" if each.line else ""
        style = "bold red" if each.verdict is Verdict.FAIL and each.blocks else ""
        yield Text.assemble((f"  {mark(each)} {shown}", style), f"  {_samples(each)}", (line, "dim"))
        indent = " " * (widths[0] + 6)
        yield Text(f"{indent}{each.words}", style="dim")
        for words in filter(None, (each.why, each.settle and f"to settle it: {each.settle}")):
            yield Text(f"{indent}{words}")


def _name(each: ObjectiveResult) -> str:
    return each.id if each.blocks else f"{each.id} ({each.level})"


def measured(each: ObjectiveResult) -> str:
    """`x3.42 [2.90..4.10] vs control`."""
    if each.value is None:
        return "no figure"
    value, lower, upper = (amount_of(figure, each.unit) for figure in (each.value, each.lower, each.upper))
    return f"{value} [{lower}..{upper}]{against(each)}"


def against(each: ObjectiveResult) -> str:
    return f" vs {each.bound.rpartition('_')[2]}" if "_vs_" in each.bound else ""


def limit_of(each: ObjectiveResult) -> str:
    side = "max" if each.bound.startswith("max") else "min"
    return f"{side} {amount_of(each.limit, each.unit)}"


def _samples(each: ObjectiveResult) -> str:
    pairs = f"{each.pairs} pairs"
    return pairs if each.samples is None else f"{pairs} of {each.samples:,} requests and more"


def _facts(cell: GateCell) -> Iterator[Fact]:
    spread = cell.cell
    yield "spread", plain(f"{spread.verdict}: {spread.headline.removeprefix(UNSURE)}", 400)
    yield from _travel(cell)
    yield "law", plain(spread.law.words, 400)
    if spread.law.contradicted:
        yield "", f"CONTRADICTED: {spread.law.contradicted}. Please report this as a bug."
    if cell.score is not None:
        yield "score", cell.score.words
    if cell.dead is not None:
        yield (
            "dead",
            f"spread in {cell.dead.hits} of {cell.dead.of} runs with the worker dead instead of slow",
        )
    yield from _checks(cell.checks)
    for which, token in _replays(cell):
        yield "again", f"limplock replay {token} ({which})"


def _travel(cell: GateCell) -> Iterator[Fact]:
    """Of the pair in which it went farthest."""
    runs = [pair.fault for pair in cell.cell.pairs if pair.fault.order]
    if runs:
        yield from travelled(max(runs, key=lambda run: len(run.order)))


def _checks(checks: list[Guard]) -> Iterator[Fact]:
    held = [guard for guard in checks if guard.ok]
    names = f" ({', '.join(guard.name for guard in held)})" if held else ""
    yield "checks", f"{len(held)} of {len(checks)} held{names}"
    for guard in checks:
        if not guard.ok:
            yield "", f"not: {guard.name}: {plain(guard.words)}"


def _replays(cell: GateCell) -> Iterator[tuple[str, str]]:
    """The pair that speaks loudest against the first objective that does not hold, else the first one."""
    doubtful = [each.worst_seed for each in cell.objectives if each.verdict is not Verdict.PASS]
    seed = next((seed for seed in doubtful if seed is not None), cell.cell.pairs[0].seed)
    pair = next(pair for pair in cell.cell.pairs if pair.seed == seed)
    if pair.fault.replay:
        yield f"seed {pair.seed}", pair.fault.replay


def _about(result: GateResult) -> Iterator[Fact]:
    yield "engine", _engine(result)
    yield "load", result.load
    if result.baseline:
        yield "baseline", plain(result.baseline, 400)
    looks = " and ".join(map(str, result.looks))
    yield "looks", f"after {looks} pairs, each with {result.error_each:.2%} of error"
    for note in result.notes:
        yield "note", plain(note, 400)
    if result.engine == "torch":
        yield "again", f"limplock gate {plain(result.file)}"


def _engine(result: GateResult) -> str:
    if result.machine is None:
        return f"virtual time, costs {plain(result.costs)}"
    gpu = f", {plain(result.machine.gpu)}" if result.machine.gpu else ""
    return f"real processes on {result.machine.cores} cores{gpu}"
