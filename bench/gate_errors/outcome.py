"""What many decisions came to, as figures with their aims and as a row of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.gate_errors.deciding import Decision, decide
from bench.gate_errors.gate import CHAT, CONTAINED, calm, plan_of
from bench.gate_errors.study import LIMIT, SPREADS, Draw, Study
from bench.gate_errors.truth import true_ratio
from bench.report import Figure
from harness.judging.pairs.pair import PairResult
from harness.judging.result import Verdict
from harness.judging.wilson import interval
from harness.scenario import Scenario

FALSE_FAIL_MOST, NOMINAL, CAUGHT_LEAST = 0.01, 0.025, 0.99
HEADS = (
    "arms",
    "decisions",
    "PASS",
    "FAIL",
    "INCONCLUSIVE",
    "pairs",
    "what counts",
    "share (95 % sure)",
    "aim",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`what` is the verdict whose share has an aim; the share lies between `low` and `high`."""

    study: str
    decisions: Sequence[Decision]
    what: str
    share: float
    low: float
    high: float
    at_most: float | None = None
    at_least: float | None = None

    def of(self, verdict: Verdict) -> int:
        return sum(decision.verdict is verdict for decision in self.decisions)

    @property
    def figures(self) -> list[Figure]:
        undecided = self.of(Verdict.INCONCLUSIVE) / len(self.decisions)
        return [
            Figure(
                name=f"{self.study}: {self.what}",
                value=self.share,
                at_most=self.at_most,
                at_least=self.at_least,
            ),
            Figure(name=f"{self.study}: INCONCLUSIVE", value=undecided),
        ]

    @property
    def row(self) -> str:
        """Markdown."""
        verdicts = [str(self.of(verdict)) for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE)]
        mean = sum(decision.pairs for decision in self.decisions) / len(self.decisions)
        share = f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"
        aim = f"at most {self.at_most:.1%}" if self.at_most is not None else f"at least {self.at_least:.0%}"
        cells = [self.study, str(len(self.decisions)), *verdicts, f"{mean:.1f}", self.what, share, aim]
        return line(cells)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    return [line(HEADS), line(["---"] * len(HEADS)), *(outcome.row for outcome in outcomes)]


def undecided(outcomes: Sequence[Outcome]) -> list[str]:
    """Why, of one decision for each that has any."""
    open_ones = {
        outcome.study: decision.words
        for outcome in outcomes
        for decision in outcome.decisions[::-1]
        if decision.verdict is Verdict.INCONCLUSIVE
    }
    return ["", *(f"- {study}, one that stayed undecided: `{words}`" for study, words in open_ones.items())]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def outcome(study: Study, drawn: Sequence[Sequence[Draw]], pool: Mapping[Draw, PairResult]) -> Outcome:
    """Of all decisions of one study."""
    each = [[pool[draw] for draw in draws] for draws in drawn]
    if study is LIMIT:
        return on_its_limit(study.name, each, study.scenario())
    plan = plan_of(study.scenario(), (CONTAINED, calm(CHAT)))
    decisions = [decide(pairs, plan) for pairs in each]
    return caught(study.name, decisions) if study is SPREADS else identical(study.name, decisions)


def identical(name: str, decisions: Sequence[Decision]) -> Outcome:
    return _of(name, decisions, Verdict.FAIL, at_most=FALSE_FAIL_MOST)


def caught(name: str, decisions: Sequence[Decision]) -> Outcome:
    return _of(name, decisions, Verdict.FAIL, at_least=CAUGHT_LEAST)


def on_its_limit(name: str, each: Sequence[Sequence[PairResult]], scenario: Scenario) -> Outcome:
    """One objective, whose limit is where the system's own ratio lies, over all pairs that were drawn."""
    truth = true_ratio([pair for pairs in each for pair in pairs], calm(CHAT))
    plan = plan_of(scenario, (calm(CHAT, truth),))
    decisions = [decide(pairs, plan) for pairs in each]
    return _of(f"{name} (x{truth:.2f})", decisions, Verdict.PASS, at_most=NOMINAL)


def _of(
    name: str,
    decisions: Sequence[Decision],
    wanted: Verdict,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> Outcome:
    """The share of the decisions that came out as `wanted`, with its Wilson interval (95 %)."""
    hits = sum(decision.verdict is wanted for decision in decisions)
    low, high = interval(hits, len(decisions))
    return Outcome(
        study=name,
        decisions=decisions,
        what=str(wanted),
        share=hits / len(decisions),
        low=low,
        high=high,
        at_most=at_most,
        at_least=at_least,
    )
