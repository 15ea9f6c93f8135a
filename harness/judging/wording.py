"""The verdict in words: one sentence that is enough alone, and the reasons behind it."""

from collections.abc import Callable, Mapping, Sequence

from harness.judging import decision
from harness.judging.figures import count, factor, seconds, share
from harness.judging.percentiles import label
from harness.judging.result import Caller, Guard, Law, Measure, SloResult, Trend, Verdict

Form = Callable[[float | None], str]

_TELLING = (  # most tangible first
    "metastable",
    "latency_inflation",
    "goodput_loss",
    "in_flight_growth",
    "blast_radius",
)


def headline(
    verdict: Verdict,
    measures: Sequence[Measure],
    guards: Sequence[Guard],
    slos: Sequence[SloResult],
    callers: Sequence[Caller],
    reached: Sequence[str],
    *,
    faulted: bool,
    control: Sequence[Caller] = (),
) -> str:
    """`reached`: services that pressure reached, nearest to the workers first.

    `control`: callers of the control, if what was before is what was there.
    """
    paired = faulted and bool(control)
    spread = decision.spread(measures)
    if verdict is Verdict.PASS:
        worst = _worst(measures, paired=paired)
        return _contained(callers, control, worst) if faulted else f"nothing rose ({worst})"
    if verdict is Verdict.INCONCLUSIVE:
        return f"inconclusive: {_doubt(measures, guards, slos, paired=paired)}"
    if spread is not Verdict.FAIL:
        return f"SLO broken: {next(slo.words for slo in slos if slo.ok is False)}"
    proved = [m for m in measures if m.deciding and m.proved]
    stuck = [measure for measure in proved if measure.name == "metastable"]
    if stuck:
        return f"pressure stayed after the fault had gone: {evidence(stuck[0], paired=paired)}"
    if not reached:
        return f"bystanders suffered: {evidence(telling(proved), paired=paired)}"
    hops = "hop" if len(reached) == 1 else "hops"
    there = {caller.name for caller in callers if caller.hop == reached[-1]}
    strongest = telling([m for m in proved if m.about in there] or proved)
    return (
        f"pressure spread to {reached[-1]} ({len(reached)} {hops} up): {evidence(strongest, paired=paired)}"
    )


def reasons(
    verdict: Verdict,
    measures: Sequence[Measure],
    guards: Sequence[Guard],
    slos: Sequence[SloResult],
    law: Law,
    *,
    paired: bool = False,
) -> list[str]:
    """What spoke against a pass, worst first; empty for a clean pass."""
    broken = [guard for guard in guards if not guard.ok]
    doubtful = [m for m in measures if m.deciding and m.suspected and not m.proved]
    return [
        *(f"{guard.name}: {guard.words}" for guard in broken if guard.voids == "any verdict"),
        *(
            _with_bounds(m, paired=paired)
            for m in sorted((m for m in measures if m.deciding and m.proved), key=_rank)
        ),
        *(f"{slo.words}, was {_plain(slo.value)}" for slo in slos if not slo.ok),
        *(f"{g.name}: {g.words}" for g in broken if g.voids == "a pass" and verdict is not Verdict.FAIL),
        *(f"perhaps chance: {_with_bounds(m, paired=paired)}" for m in doubtful),
        *([f"contradicts the law: {law.contradicted}"] if law.contradicted else []),
    ]


def telling(measures: Sequence[Measure]) -> Measure:
    """The one to show first: the most tangible kind, and of it the largest."""
    return min(measures, key=_rank)


def _rank(measure: Measure) -> tuple[int, bool, float]:
    return _TELLING.index(measure.name), measure.quantile not in (None, 0.5), -measure.value


def evidence(measure: Measure, *, paired: bool = False) -> str:
    """`local_front p50 2ms -> 1.9s`; of a pair `local_front p50 2ms without the fault -> 1.9s with it`."""
    match measure.name:
        case "latency_inflation":
            figure = f"{measure.about} {label(measure.quantile or 0.5)}"
            return f"{figure} {_change(measure, seconds, paired=paired)}"
        case "goodput_loss":
            return f"{measure.about} goodput {_change(measure, share, paired=paired)}"
        case "in_flight_growth":
            return f"{measure.about} under way {_change(measure, count, paired=paired)}"
        case "metastable":
            return f"goodput late in the recovery {_change(measure, share, paired=paired)}"
        case _:
            return f"{share(measure.value)} of the bystander callers hit hard"


def _change(measure: Measure, form: Form, *, paired: bool) -> str:
    before, during = form(measure.before), form(measure.during)
    return f"{before} without the fault -> {during} with it" if paired else f"{before} -> {during}"


def _contained(callers: Sequence[Caller], control: Sequence[Caller], worst: str) -> str:
    usual = {caller.name: _good_ratio(caller).during for caller in control}
    kept = [
        f"{caller.name} keeps {share(_kept(caller, usual))} of its goodput"
        for caller in callers
        if not caller.bystander
    ]
    return "; ".join([f"contained: no bystander felt it ({worst})", *kept])


def _kept(caller: Caller, usual: Mapping[str, float | None]) -> float | None:
    """Share of the good answers of the control, or of before, that a caller has during the fault as well."""
    trend = _good_ratio(caller)
    was = usual.get(caller.name, trend.before)
    return min(1.0, trend.during / was) if trend.during is not None and was else None


def _good_ratio(caller: Caller) -> Trend:
    return caller.metrics["goodput_ratio"]


def _worst(measures: Sequence[Measure], *, paired: bool) -> str:
    latencies = [m for m in measures if m.name == "latency_inflation"]
    worst = max(latencies, key=lambda m: m.value, default=None)
    return f"worst: {evidence(worst, paired=paired)}" if worst else "no bystander"


def _doubt(
    measures: Sequence[Measure], guards: Sequence[Guard], slos: Sequence[SloResult], *, paired: bool
) -> str:
    broken = sorted((g for g in guards if not g.ok), key=lambda guard: guard.voids != "any verdict")
    if broken:
        return broken[0].words
    doubtful = [m for m in measures if m.deciding and m.suspected]
    if doubtful:
        return f"too noisy to decide: {_with_bounds(telling(doubtful), paired=paired)}"
    return f"too few samples for {next(slo.words for slo in slos if slo.ok is None)}"


def _with_bounds(measure: Measure, *, paired: bool) -> str:
    if measure.name == "metastable":
        return evidence(measure, paired=paired)
    form = share if measure.name in ("goodput_loss", "blast_radius") else factor
    bounds = f"[{form(measure.lower)}..{form(measure.upper)}]"
    return f"{evidence(measure, paired=paired)} ({form(measure.value)} {bounds}, mild {form(measure.mild)})"


def _plain(value: float | None) -> str:
    return "not to be had" if value is None else f"{value:.4g}"
