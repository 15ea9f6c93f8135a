"""From a finished history to a judged run. A pure function: a stored history can be judged again."""

from collections import Counter
from collections.abc import Iterable, Sequence

from harness.judging import decision, guards, spread, wording
from harness.judging.agreement import with_measured
from harness.judging.attempts import cost
from harness.judging.bystanders import bystander_measures
from harness.judging.callers import Figures, describe, trends
from harness.judging.case import Case, lay_out
from harness.judging.cohort import Cohort
from harness.judging.compared import compare
from harness.judging.compared.travel import travel
from harness.judging.decision import decide, merge
from harness.judging.detection import detection
from harness.judging.healed import not_healed
from harness.judging.history import History
from harness.judging.plain_text import plain
from harness.judging.pressure import hop_place, worker_places, workers_up
from harness.judging.requests import Request, count_outcomes
from harness.judging.result import Cause, Guard, Law, Measure, Place, RunResult, Setting, Verdict
from harness.judging.slo import Slo
from harness.judging.windows import Window

__all__ = ["Verdict", "judge", "merge"]

CAUSES = 5  # lines of why requests failed


def judge(history: History, slos: Iterable[Slo] = ()) -> RunResult:
    """Of a run that stands alone. ValueError, in one line, for a history that is incomplete or wrong."""
    return judge_case(lay_out(history), slos)


def judge_case(case: Case, slos: Iterable[Slo] = (), control: RunResult | None = None) -> RunResult:
    """The whole judgement. `control`: the judged control, for a case that is held against one."""
    history = case.history
    callers = [describe(cohort, case.windows) for cohort in case.cohorts]
    places = [hop_place(at, case.windows, case.times.fault) for at in case.hops]
    places += worker_places(history, case.windows)
    run = trends([_run_figures(case, window) if window else {} for window in case.windows])
    run |= detection(history, case.faulted, case.times.fault)
    growths = spread.hop_growths(case.reference, case.during, frozenset(case.faulted))
    deciding = bystander_measures(case.judged, workers=len(case.setup.workers))
    depth = spread.hop_depth(case.hops, growths)
    measures = [*deciding, *growths, *_diagnostics(case), *compare(case, depth)]
    still_there = not_healed(history, case.times)
    preconditions = _guards(case, deciding, still_there)
    preconditions += guards.control_in_order(case.setup, control) if control else []
    named = {caller.name: caller.metrics for caller in callers} | {"": run}
    named |= {place.name: place.metrics for place in places}
    checks = [slo.check(named) for slo in slos]
    verdict = decide(measures, preconditions, checks)
    lawful = _compare(case, places, verdict, measures, preconditions)
    reached = case.services[:depth]
    return RunResult(
        verdict=verdict,
        headline=wording.headline(
            verdict,
            measures,
            preconditions,
            checks,
            callers,
            reached,
            faulted=case.bite is not None,
            control=control.callers if control else (),
        ),
        reasons=wording.reasons(
            verdict, measures, preconditions, checks, lawful, paired=case.paired and bool(case.faulted)
        ),
        setting=_setting(case),
        law=lawful,
        bite=case.bite,
        guards=preconditions,
        measures=measures,
        slos=checks,
        places=places,
        callers=callers,
        metrics=run,
        offered=len(case.requests),
        outcomes=count_outcomes(case.requests),
        causes=_causes(case.requests),
        hop_depth=depth,
        clean=case.finished.clean and not still_there,
        against="its control" if case.paired else "its own baseline",
        order=travel(case, case.control) if case.control and case.faulted else [],
    )


def _diagnostics(case: Case) -> list[Measure]:
    """Measures that explain and do not decide."""
    sides = case.reference, case.during
    found = [spread.retry_amplification(*sides)]
    if case.faulted and case.prediction.slots:
        workers = len(case.setup.workers)
        found += [
            spread.slot_capture(case.prediction.slots, *sides, case.faulted, workers),
            spread.contagion(*sides, frozenset(case.faulted)),
        ]
    return [measure for measure in found if measure is not None]


def _guards(case: Case, measures: Sequence[Measure], still_there: str) -> list[Guard]:
    """The likely cause before its likely effects: the headline tells the first broken one."""
    before, during, _ = case.windows
    return [
        guards.something_asserted(measures),
        *guards.fault_bit(case.bite),
        *guards.fault_long_enough(case.setup, case.times, case.prediction),
        guards.baseline_at_ease(case.hops, before),
        guards.baseline_good(case.cohorts, before, measures),
        guards.generator_on_time(case.cohorts, (before, during), measures),
        guards.enough_samples(case.bystanders, [now.cohort for _, now in case.judged]),
        guards.cleaned_up(case.setup, case.times, case.finished, still_there),
    ]


def _compare(
    case: Case,
    places: Sequence[Place],
    verdict: Verdict,
    measures: Sequence[Measure],
    preconditions: Sequence[Guard],
) -> Law:
    decided = {Verdict.PASS: False, Verdict.FAIL: True}  # a broken objective alone says nothing of spread
    said = decision.spread(measures) if verdict is not Verdict.INCONCLUSIVE else verdict
    full = {place.name: place.full_after_s for place in places if place.kind == "service"}
    found = with_measured(case.prediction, full, case.times.fault.length_s, spread=decided.get(said))
    void = any(guard.voids == "any verdict" and not guard.ok for guard in preconditions)
    # A load that was not what it should have been contradicts nothing.
    return found.model_copy(update={"contradicted": ""}) if void else found


def _run_figures(case: Case, window: Window) -> Figures:
    inference = frozenset(caller.name for caller in case.setup.callers if caller.inference)
    touched = [cohort for cohort in case.cohorts if not cohort.bystander]
    return cost(case.requests, inference, window, workers_up(case.history, window)) | {
        "touched_goodput_ratio": _goodput_ratio(touched, window),
        "bystander_goodput_ratio": _goodput_ratio(case.bystanders, window),
    }


def _goodput_ratio(cohorts: Sequence[Cohort], window: Window) -> float | None:
    parts = [cohort.good[window.select(cohort.intended_s)] for cohort in cohorts]
    count = sum(len(part) for part in parts)
    return float(sum(part.sum() for part in parts)) / count if count else None


def _causes(requests: Sequence[Request]) -> list[Cause]:
    ended = (request.ended for request in requests if not request.answered)
    as_told = Counter((end.kind, end.phase, end.by, end.cause) for end in ended)
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for (kind, phase, by, cause), count in as_told.items():  # cleaning a text takes longer than counting it
        counts[kind, plain(phase), plain(by), plain(cause)] += count
    return [
        Cause(kind=kind, phase=phase, by=by, cause=cause, count=count)
        for (kind, phase, by, cause), count in counts.most_common(CAUSES)
    ]


def _setting(case: Case) -> Setting:
    setup, fault = case.setup, case.setup.fault
    return Setting(
        scenario=setup.scenario,
        preset=setup.preset,
        seed=setup.seed,
        version=setup.version,
        model=setup.model,
        device=setup.device,
        engine=setup.engine,
        toxiproxy=setup.toxiproxy,
        workers=setup.workers,
        max_num_seqs=setup.max_num_seqs,
        padded_step_s=setup.step_floor_s,
        timeout_s=setup.timeout_s,
        fault=fault.kind if fault else "",
        fault_parameters=fault.parameters if fault else {},
        fault_shape=fault.shape if fault else "",
        fault_fidelity=fault.fidelity if fault else "",
        fault_text=fault.written if fault else "",
        fault_replaces=fault is not None and fault.replaces,
        faulted_workers=case.faulted,
        fault_length_s=case.times.fault.length_s,
        run_length_s=case.finished.at_s,
    )
