"""Which pairs are evidence, and what all of them together have as preconditions.

Of one kind of judgement some guards may say nothing: `apart_from` has their names.
"""

from collections.abc import Collection, Sequence

from harness.judging.pairs.pair import PairResult
from harness.judging.result import Guard

VOID_RATIO = 0.25  # of the pairs may be void; more tell of the machine


def counted(pairs: Sequence[PairResult], apart_from: Collection[str] = ()) -> list[PairResult]:
    """Those that are evidence: their load and their fault were what they should have been."""
    return [pair for pair in pairs if not broken(pair, apart_from)]


def broken(pair: PairResult, apart_from: Collection[str] = ()) -> list[Guard]:
    """Why a pair is void."""
    return [guard for guard in _failed(pair, apart_from) if guard.voids == "any verdict"]


def enough_count(pairs: Sequence[PairResult], apart_from: Collection[str] = ()) -> Guard:
    """Whether so many of them are evidence that a verdict may rest on those."""
    reasons = [why[0] for pair in pairs if (why := broken(pair, apart_from))]
    sound = len(pairs) - len(reasons)
    words = f"{sound} of {len(pairs)} pairs count"
    if reasons:
        words += f"; void: {reasons[0].words}"
    ok = sound > 0 and len(reasons) <= VOID_RATIO * len(pairs)
    return Guard(name="pairs that count", ok=ok, voids="any verdict", words=words)


def doubts(pairs: Sequence[PairResult], apart_from: Collection[str] = ()) -> list[Guard]:
    """What speaks against a pass in any of the pairs that count, each kind once."""
    sound = counted(pairs, apart_from)
    return list({guard.name: guard for pair in sound for guard in _failed(pair, apart_from)}.values())


def _failed(pair: PairResult, apart_from: Collection[str]) -> list[Guard]:
    return [guard for guard in pair.fault.guards if not guard.ok and guard.name not in apart_from]
