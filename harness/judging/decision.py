"""The decision rule: measures, preconditions and objectives in, one verdict out.

FAIL outranks INCONCLUSIVE, which outranks PASS; but no verdict at all stands on a load or a fault that was
not what it should have been.
"""

from collections.abc import Sequence

from harness.judging.result import Guard, Measure, SloResult, Verdict

_WORST_FIRST = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)


def merge(*verdicts: Verdict) -> Verdict:
    """The worst. Of nothing: INCONCLUSIVE, since nothing was asserted."""
    return min(verdicts, key=_WORST_FIRST.index, default=Verdict.INCONCLUSIVE)


def decide(measures: Sequence[Measure], guards: Sequence[Guard], slos: Sequence[SloResult] = ()) -> Verdict:
    broken = {guard.voids for guard in guards if not guard.ok}
    if "any verdict" in broken:
        return Verdict.INCONCLUSIVE
    precondition = Verdict.INCONCLUSIVE if broken else Verdict.PASS
    return merge(spread(measures), precondition, *(_slo(slo) for slo in slos))


def spread(measures: Sequence[Measure]) -> Verdict:
    """FAIL if one deciding measure is beyond mild and not by chance, PASS if none is beyond mild at all."""
    deciding = [measure for measure in measures if measure.deciding]
    if any(measure.proved for measure in deciding):
        return Verdict.FAIL
    return Verdict.INCONCLUSIVE if any(measure.suspected for measure in deciding) else Verdict.PASS


def _slo(slo: SloResult) -> Verdict:
    return {True: Verdict.PASS, False: Verdict.FAIL, None: Verdict.INCONCLUSIVE}[slo.ok]
