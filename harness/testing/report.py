"""What a test is told of a run: every expectation, how pressure came and went, the replay, the files."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from harness.judging.plain_text import plain
from harness.judging.reading import read_history
from harness.judging.result import Verdict
from harness.reporting.run_report import travelled
from harness.reporting.sparkline import sparklines
from harness.testing.expectation import Expectation
from harness.testing.judged import Judged
from harness.testing.tested_run import TestedRun

MARKS = {Verdict.PASS: "+", Verdict.FAIL: "x", Verdict.INCONCLUSIVE: "~"}
COUNTED = {Verdict.FAIL: "broken", Verdict.INCONCLUSIVE: "undecided"}


def report(run: TestedRun, judged: Sequence[Judged]) -> Iterator[str]:
    """Of one run, its first line alone is enough. What holds is told in one line and no more."""
    yield f"{plain(run.title)}: {_summary(judged)}"
    width = max((len(each.words) for each in judged), default=0)
    for each in judged:
        yield f"  {MARKS[each.verdict]} {each.words:<{width}}  {each.figures}"
    against = [each for each in judged if each.verdict is not Verdict.PASS]
    if against:
        if not any(each.about_spread for each in judged):
            yield f"  verdict     {run.verdict}: {run.headline}"
        yield from _evidence(run, min(against, key=lambda each: each.verdict is not Verdict.FAIL).pair)
    yield f"  files       {run.folder}"


def nothing_expected(run: TestedRun) -> str:
    return (
        f"{plain(run.title)}: it ran, and nothing was expected of it. Say what must hold:"
        " limplock.expect(run).contained(), or .spreads()"
    )


def says_nothing(expectation: Expectation) -> str:
    if not expectation.metric:
        return "limplock.expect(run) says nothing. Add .contained() or .spreads(), or name a metric"
    return (
        f"limplock.expect(run, {expectation.metric!r}) has no bound."
        " Add .at_most(...), .at_least(...) or .vs_control(max=...)"
    )


def _summary(judged: Sequence[Judged]) -> str:
    counts = {word: sum(each.verdict is verdict for each in judged) for verdict, word in COUNTED.items()}
    said = [f"{count} {word}" for word, count in counts.items() if count]
    what = "expectation" if len(judged) == 1 else "expectations"
    return f"{' and '.join(said)} of {len(judged)} {what}" if said else f"{len(judged)} {what} kept"


def _evidence(run: TestedRun, number: int) -> Iterator[str]:
    pair = run.pairs[number]
    for name, words in travelled(pair.fault):
        yield f"  {name:<11} {words}"
    with suppress(OSError, ValueError):  # the figures stand without the picture
        for line in sparklines(read_history(run.history(number))):
            yield f"    {line}"
    again = (
        f"limplock replay {pair.fault.replay}"
        if pair.fault.replay
        else f"limplock.run(..., seed={pair.seed})"
    )
    yield f"  worst seed  {pair.seed}: {again}"
