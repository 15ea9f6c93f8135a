"""The verdict in words: one sentence that is enough alone, and the reasons behind it."""

from collections.abc import Sequence

from harness.judging import decision
from harness.judging.figures import count, factor, seconds, share
from harness.judging.percentiles import label
from harness.judging.result import Caller, Guard, Law, Measure, SloResult, Verdict

_TELLING = ("latency_inflation", "goodput_loss", "in_flight_growth", "blast_radius")  # most tangible first


def headline(
    verdict: Verdict,
    measures: Sequence[Measure],
    guards: Sequence[Guard],
    slos: Sequence[SloResult],
    callers: Sequence[Caller],
    reached: Sequence[str],
    *,
    faulted: bool,
) -> str:
    """`reached`: services that pressure reached, nearest to the workers first."""
    spread = decision.spread(measures)
    if verdict is Verdict.PASS:
        return _contained(measures, callers) if faulted else f"nothing rose ({_worst(measures)})"
    if verdict is Verdict.INCONCLUSIVE:
        return f"inconclusive: {_doubt(measures, guards, slos)}"
    if spread is not Verdict.FAIL:
        return f"SLO broken: {next(slo.words for slo in slos if slo.ok is False)}"
    proved = [m for m in measures if m.deciding and m.proved]
    if not reached:
        return f"bystanders suffered: {evidence(telling(proved))}"
    hops = "hop" if len(reached) == 1 else "hops"
    there = {caller.name for caller in callers if caller.hop == reached[-1]}
    strongest = telling([m for m in proved if m.about in there] or proved)
    return f"pressure spread to {reached[-1]} ({len(reached)} {hops} up): {evidence(strongest)}"


def reasons(
    verdict: Verdict,
    measures: Sequence[Measure],
    guards: Sequence[Guard],
    slos: Sequence[SloResult],
    law: Law,
) -> list[str]:
    """What spoke against a pass, worst first; empty for a clean pass."""
    broken = [guard for guard in guards if not guard.ok]
    doubtful = [m for m in measures if m.deciding and m.suspected and not m.proved]
    return [
        *(f"{guard.name}: {guard.words}" for guard in broken if guard.voids == "any verdict"),
        *(_with_bounds(m) for m in sorted((m for m in measures if m.deciding and m.proved), key=_rank)),
        *(f"{slo.words}, was {_plain(slo.value)}" for slo in slos if not slo.ok),
        *(f"{g.name}: {g.words}" for g in broken if g.voids == "a pass" and verdict is not Verdict.FAIL),
        *(f"perhaps chance: {_with_bounds(m)}" for m in doubtful),
        *([f"contradicts the law: {law.contradicted}"] if law.contradicted else []),
    ]


def telling(measures: Sequence[Measure]) -> Measure:
    """The one to show first: the most tangible kind, and of it the largest."""
    return min(measures, key=_rank)


def _rank(measure: Measure) -> tuple[int, bool, float]:
    return _TELLING.index(measure.name), measure.quantile not in (None, 0.5), -measure.value


def evidence(measure: Measure) -> str:
    """`local_front p50 2ms -> 1.9s`."""
    before, during = measure.before, measure.during
    match measure.name:
        case "latency_inflation":
            return f"{measure.about} {label(measure.quantile or 0.5)} {seconds(before)} -> {seconds(during)}"
        case "goodput_loss":
            return f"{measure.about} goodput {share(before)} -> {share(during)}"
        case "in_flight_growth":
            return f"{measure.about} under way {count(before)} -> {count(during)}"
        case _:
            return f"{share(measure.value)} of the bystander callers hit hard"


def _contained(measures: Sequence[Measure], callers: Sequence[Caller]) -> str:
    kept = [
        f"{caller.name} keeps {share(_kept(caller))} of its goodput"
        for caller in callers
        if not caller.bystander
    ]
    return "; ".join([f"contained: no bystander felt it ({_worst(measures)})", *kept])


def _kept(caller: Caller) -> float | None:
    """Share of the good answers that a caller had before and has during the fault as well."""
    trend = caller.metrics["goodput_ratio"]
    return min(1.0, trend.during / trend.before) if trend.during is not None and trend.before else None


def _worst(measures: Sequence[Measure]) -> str:
    latencies = [m for m in measures if m.name == "latency_inflation"]
    return f"worst: {evidence(max(latencies, key=lambda m: m.value))}" if latencies else "no bystander"


def _doubt(measures: Sequence[Measure], guards: Sequence[Guard], slos: Sequence[SloResult]) -> str:
    broken = sorted((g for g in guards if not g.ok), key=lambda guard: guard.voids != "any verdict")
    if broken:
        return broken[0].words
    doubtful = [m for m in measures if m.deciding and m.suspected]
    if doubtful:
        return f"too noisy to decide: {_with_bounds(telling(doubtful))}"
    return f"too few samples for {next(slo.words for slo in slos if slo.ok is None)}"


def _with_bounds(measure: Measure) -> str:
    form = share if measure.name in ("goodput_loss", "blast_radius") else factor
    bounds = f"[{form(measure.lower)}..{form(measure.upper)}]"
    return f"{evidence(measure)} ({form(measure.value)} {bounds}, mild {form(measure.mild)})"


def _plain(value: float | None) -> str:
    return "not to be had" if value is None else f"{value:.4g}"
