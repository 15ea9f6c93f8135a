"""How a test came out: FAIL outranks INCONCLUSIVE, and all that is not as expected is told together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.judging.result import Verdict
from harness.testing.expectation import Expectation
from harness.testing.gated import TestedGate
from harness.testing.judged import Judged, judge_all
from harness.testing.report import nothing_expected, report, says_nothing
from harness.testing.tested_run import TestedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Everything that one test expected. `properties` are for JUnit."""

    verdict: Verdict
    text: str
    properties: list[tuple[str, str]]


def settle(
    runs: Sequence[TestedRun], expectations: Sequence[Expectation], gates: Sequence[TestedGate] = ()
) -> Settled:
    """FAIL, too, for a run of which nothing is expected: a test that cannot fail proves nothing."""
    judged = judge_all(expectations)
    told = [*runs, *_of_others(runs, expectations)]
    empty = [*map(says_nothing, (each for each in expectations if not each.says_something))]
    empty += [nothing_expected(run) for run in runs if not any(each.run is run for each in expectations)]
    verdict = (
        Verdict.FAIL
        if empty
        else _worst([*(each.verdict for each in judged), *(gate.verdict for gate in gates)])
    )
    parts: list[Iterable[str]] = [gate.lines for gate in gates]
    parts += [report(run, own) for run in told if (own := [each for each in judged if each.run is run])]
    return Settled(
        verdict=verdict,
        text="\n".join([*empty, *(line for part in parts for line in part)]),
        properties=[
            *(each for run in told for each in _properties(run, judged)),
            *(each for gate in gates for each in gate.properties),
        ],
    )


def _of_others(runs: Sequence[TestedRun], expectations: Sequence[Expectation]) -> list[TestedRun]:
    """Those that another test ran, each once: whoever expects something of them is told of it, too."""
    foreign = {id(each.run): each.run for each in expectations}
    own = {id(run) for run in runs}
    return [run for key, run in foreign.items() if key not in own]


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """PASS for none at all."""
    ranks = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
    return min(verdicts, key=ranks.index, default=Verdict.PASS)


def _properties(run: TestedRun, judged: Sequence[Judged]) -> Iterator[tuple[str, str]]:
    """The token is that of the first seed: the others differ from it in the seed alone."""
    yield f"limplock.verdict {run.title}", str(run.verdict)
    if replay := run.pairs[0].fault.replay:
        yield f"limplock.replay {run.title}", replay
    for each in (each for each in judged if each.run is run):
        yield f"limplock.{each.words}", _told(each)


def _told(judged: Judged) -> str:
    """`FAIL 3.42 2.9 4.1`: verdict, value and its interval."""
    numbers = (judged.value, judged.lower, judged.upper)
    return " ".join([str(judged.verdict), *(f"{number:.6g}" for number in numbers if number is not None)])
