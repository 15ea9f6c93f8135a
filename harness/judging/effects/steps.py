"""What the engine's steps show of a fault."""

from collections.abc import Mapping, Sequence
from functools import partial

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


def _both(history: History, worker: str, timeline: Timeline, of: str) -> tuple[float | None, float | None]:
    """Mean seconds of a step before and during the fault.

    The step under way when the fault begins is left out: a policy may soon bench the worker.
    """
    gauges = history.gauges(worker)
    before_s = mean_step_s(gauges, timeline.before(), of)
    settled = Window(timeline.fault.start_s + 2 * (before_s or 0.0), timeline.fault.end_s)
    return before_s, mean_step_s(gauges, settled, of) or mean_step_s(gauges, timeline.fault, of)


def _step_time(history: History, worker: str, timeline: Timeline, *, of: str) -> Measure:
    """How many times as long steps take as before."""
    before_s, during_s = _both(history, worker, timeline, of)
    return Measure(during_s / before_s if before_s and during_s else None)


def _added(history: History, worker: str, timeline: Timeline) -> Measure:
    """How many seconds longer steps take than before."""
    before_s, during_s = _both(history, worker, timeline, "all")
    return Measure(during_s - before_s if before_s and during_s else None)


def _stalled_share(history: History, worker: str, timeline: Timeline) -> Measure:
    """The share of the time spent in steps for which these were held."""
    looks = between(history.gauges(worker), timeline.fault.start_s, timeline.fault.end_s)
    seen = counted(looks, "busy_seconds", "stalled_seconds")
    if not seen or (busy_s := rise(seen, "busy_seconds")) <= 0:
        return Measure(None)
    return Measure(rise(seen, "stalled_seconds") / busy_s)


def _later_tokens_lost(history: History, worker: str, timeline: Timeline) -> Measure:
    """By what share a running answer gets fewer tokens after its first than before the fault, per second."""
    before = _later_tokens_rate(history.gauges(worker), timeline.before())
    during = _later_tokens_rate(history.gauges(worker), timeline.fault)
    return Measure(1 - during / before if before and during is not None else None)


MEASURES: dict[str, Measuring] = {
    "step time": partial(_step_time, of="all"),
    "prefill step time": partial(_step_time, of="prefill"),
    "decode step time": partial(_step_time, of="decode"),
    "added step time": _added,
    "stalled share": _stalled_share,
    "later tokens lost": _later_tokens_lost,
}


def mean_step_s(gauges: Sequence[Gauge], window: Window, of: str = "all") -> float | None:
    """Mean duration of the engine steps that a worker finished between its first and last sample in `window`.

    `of`: all, or those with a prompt in them (prefill), or without (decode). None without any.
    """
    looks = between(gauges, window.start_s, window.end_s)
    whole = ("steps", "step_seconds")
    seen = (
        counted(looks, *whole) if of == "all" else counted(looks, *whole, "prefill_steps", "prefill_seconds")
    )
    if not seen:
        return None
    steps, spent_s = rise(seen, "steps"), rise(seen, "step_seconds")
    if of != "all":
        prefills, prefill_s = rise(seen, "prefill_steps"), rise(seen, "prefill_seconds")
        steps, spent_s = (prefills, prefill_s) if of == "prefill" else (steps - prefills, spent_s - prefill_s)
    return spent_s / steps if steps > 0 else None


def counted(looks: Sequence[Gauge], *names: str) -> Sequence[Mapping[str, float]]:
    """The values of the samples that have all of `names`, the first of which is a count.

    A worker that was restarted counts from zero again: samples from there on are left out.
    """
    seen = [gauge.values for gauge in looks if all(name in gauge.values for name in names)]
    falls = (i for i in range(1, len(seen)) if seen[i][names[0]] < seen[i - 1][names[0]])
    return seen[: next(falls, len(seen))]


def rise(seen: Sequence[Mapping[str, float]], name: str) -> float:
    """By how much a count rose from the first sample to the last."""
    return seen[-1][name] - seen[0][name]


def _later_tokens_rate(gauges: Sequence[Gauge], window: Window) -> float | None:
    """Tokens after the first for each second that an answer ran. None if none did."""
    looks = between(gauges, window.start_s, window.end_s)
    seen = counted(looks, "tokens", "first_tokens", "running")
    if not seen:
        return None
    running = sum(values["running"] for values in seen) / len(seen)
    ran_s = running * (looks[-1].at_s - looks[0].at_s)
    return (rise(seen, "tokens") - rise(seen, "first_tokens")) / ran_s if ran_s > 0 else None
