"""What many decisions came to, as figures with their aims and as a row of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.gate_errors.deciding import LATENCY, Decision, at_first_look, decide, rate, true_ratio
from bench.gate_errors.study import LIMIT, LOOKS, SPREADS, Draw, Study
from bench.report import Figure
from harness.judging.pairs.pair import PairResult
from harness.judging.result import Verdict

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
    """`what` is the one share that has an aim: `hits` of the decisions, between `low` and `high`."""

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


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def outcome(study: Study, drawn: Sequence[Sequence[Draw]], pool: Mapping[Draw, PairResult]) -> Outcome:
    """Of all decisions of one study."""
    each = [[pool[draw] for draw in draws] for draws in drawn]
    if study is LIMIT:
        return on_its_limit(study.name, each)
    decisions = [decide(pairs, LOOKS) for pairs in each]
    if study is SPREADS:
        share, low, high = rate([d.verdict for d in decisions], Verdict.FAIL)
        return Outcome(
            study=study.name, decisions=decisions, what="FAIL", share=share, low=low, high=high,
            at_least=CAUGHT_LEAST,
        )  # fmt: skip
    return identical(study.name, decisions)


def identical(name: str, decisions: Sequence[Decision]) -> Outcome:
    share, low, high = rate([decision.verdict for decision in decisions], Verdict.FAIL)
    return Outcome(
        study=name, decisions=decisions, what="FAIL", share=share, low=low, high=high, at_most=FALSE_FAIL_MOST
    )


def on_its_limit(name: str, each: Sequence[Sequence[PairResult]]) -> Outcome:
    """The limit is where the system's own ratio lies, over all pairs that were drawn."""
    truth = true_ratio([pair for pairs in each for pair in pairs], LATENCY)
    objective = replace(LATENCY, limit=truth)
    passed, low, high = rate([at_first_look(pairs, LOOKS, objective) for pairs in each], Verdict.PASS)
    return Outcome(
        study=f"{name} (x{truth:.2f})", decisions=[decide(pairs, LOOKS, objective) for pairs in each],
        what="objective PASS", share=passed, low=low, high=high, at_most=NOMINAL,
    )  # fmt: skip
