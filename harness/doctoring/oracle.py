"""What must come out, whatever else does: if it does not, no verdict of this judge is worth anything."""

from dataclasses import dataclass

from harness.judging.history import History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import Measure, Verdict

EXACTLY = 1e-9  # in virtual time two runs without a difference have none at all


@dataclass(frozen=True, slots=True)
class Oracle:
    """`words`: what was seen."""

    name: str
    holds: bool
    words: str


def untouched(name: str, pair: PairResult, *, exactly: bool) -> Oracle:
    """Of a fault at a worker without traffic: nothing changed, nobody is blamed, and the run says why."""
    changed = [m for m in pair.fault.measures if m.deciding and (_moved(m) if exactly else m.proved)]
    told = [guard for guard in pair.fault.guards if guard.name == "fault touched requests" and not guard.ok]
    if changed:
        return Oracle(
            name, holds=False, words=f"{changed[0].name} of {changed[0].about}: {changed[0].value:.3g}"
        )
    if pair.fault.verdict is not Verdict.INCONCLUSIVE or not told:
        return Oracle(name, holds=False, words=f"{pair.fault.verdict}, not told that it touched no request")
    return Oracle(name, holds=True, words=f"nothing changed; {told[0].words}")


def _moved(measure: Measure) -> bool:
    """Of a share that was lost or hit the calm value is 0, of a ratio 1."""
    calm = 0.0 if measure.name in ("goodput_loss", "blast_radius") else 1.0
    return abs(measure.value - calm) > EXACTLY


def comes_out(name: str, pair: PairResult, verdict: Verdict) -> Oracle:
    return Oracle(
        name, holds=pair.fault.verdict is verdict, words=f"{pair.fault.verdict}: {pair.fault.headline}"
    )


def noticed(name: str, fault: History, control: History) -> Oracle:
    """Of two histories of which one tells a lie: refused, or at least no PASS."""
    try:
        pair = judge_pair(fault, control)
    except ValueError as refused:
        return Oracle(name, holds=True, words=f"refused: {refused}")
    holds = pair.fault.verdict is not Verdict.PASS
    return Oracle(name, holds=holds, words=f"{pair.fault.verdict}: {pair.fault.headline}")
