"""What small requests through the link show of a fault, each on a connection of its own."""

from collections.abc import Mapping
from functools import partial
from math import sqrt
from statistics import fmean, median, pstdev

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window

FASTEST_KB_PER_S = 1000.0  # a probe is too short to tell what is faster
PAUSE_RATIO = 1.5  # what is no longer than so many times the probe's own pauses is none of the link's
QUIET_S = 2.0  # a probe that was begun later than this before the end may still be heard


class Probes:
    """Those that ended in a window, with what they saw."""

    def __init__(self, history: History, worker: str, window: Window) -> None:
        gauges = between(history.gauges(f"link {worker}"), window.start_s, window.end_s)
        self._gauges = gauges
        self._window = window
        self.ended = [gauge for gauge in gauges if "begun" not in gauge.values]

    def seen(self, name: str, *, ended: str | None = None) -> list[float]:
        """One of their values, of those that have it and ended so."""
        return [
            gauge.values[name]
            for gauge in self.ended
            if name in gauge.values and ended in (None, gauge.states.get("ended"))
        ]

    def first_s(self) -> list[float]:
        """Times to the first byte; of old histories, those of the whole round trip."""
        return self.seen("first_s") or self.seen("probe_s")

    def silent(self) -> tuple[int, int]:
        """Of the probes begun in the window: how many had heard nothing when it was over, and all."""
        last_s = self._window.end_s - min(QUIET_S, self._window.length_s / 2)
        begun = [gauge.at_s for gauge in self._gauges if "begun" in gauge.values and gauge.at_s < last_s]
        heard = [at_s for at_s in map(_begun_s, self.ended) if self._window.start_s <= at_s < last_s]
        return max(0, len(begun) - len(heard)), len(begun)


def _begun_s(gauge: Gauge) -> float:
    """When a probe began that has ended: one clock read apart from when that was written."""
    values = gauge.values
    return gauge.at_s - values.get("took_s", 0.0) - values.get("close_s", 0.0)


def _both(history: History, worker: str, timeline: Timeline) -> tuple[Probes, Probes]:
    return (Probes(history, worker, timeline.before()), Probes(history, worker, timeline.fault))


def _delay(history: History, worker: str, timeline: Timeline, *, mean: bool = False) -> Measure:
    """The rise of the time to the first byte on a new connection, in seconds."""
    before, during = (probes.first_s() for probes in _both(history, worker, timeline))
    if not before or not during:
        return Measure(None)
    if mean:
        chance = 2 * pstdev(during) / sqrt(len(during))
        return Measure(fmean(during) - median(before), chance=chance)
    return Measure(median(during) - median(before))


def _jitter(history: History, worker: str, timeline: Timeline) -> Measure:
    """Half the range of the time to the first byte, widened by what so many samples leave of it."""
    first_s = Probes(history, worker, timeline.fault).first_s()
    count = len(first_s)
    if count < 2:
        return Measure(None)
    jitter_s = (max(first_s) - min(first_s)) / 2 * (count + 1) / (count - 1)
    return Measure(jitter_s, chance=2 * jitter_s * sqrt(2 / ((count - 1) * (count + 2))))


def _rate(history: History, worker: str, timeline: Timeline) -> Measure:
    """The median rate of what follows the first bytes, in kB/s."""
    probes = Probes(history, worker, timeline.fault)
    rates = probes.seen("rate_kb_per_s")
    rates += [FASTEST_KB_PER_S] * (len(probes.seen("rest_s")) - len(rates))  # all came at once
    return Measure(min(FASTEST_KB_PER_S, median(rates)) if rates else None)


def _gap(history: History, worker: str, timeline: Timeline) -> Measure:
    """The median pause in an answer, in seconds; 0 if there are only those that it has anyway."""
    before, during = (probes.seen("gap_s") for probes in _both(history, worker, timeline))
    if not before or not during:
        return Measure(None)
    pause_s = median(during)
    return Measure(pause_s if pause_s > PAUSE_RATIO * median(before) else 0.0)


def _close_delay(history: History, worker: str, timeline: Timeline) -> Measure:
    """The rise of the time until the end of a connection is heard, in seconds."""
    before, during = (probes.seen("close_s") for probes in _both(history, worker, timeline))
    return Measure(median(during) - median(before) if before and during else None)


def _time_to_the_end(history: History, worker: str, timeline: Timeline, *, ended: str) -> Measure:
    """From when the answer should have been there to when the connection ended so, in seconds."""
    before, during = _both(history, worker, timeline)
    wanted_s = before.seen("took_s", ended="whole") if ended == "cut" else before.first_s()
    took_s = during.seen("took_s", ended=ended)
    if not during.ended or not wanted_s:
        return Measure(None)
    if not took_s:
        return Measure(0.0, f"no connection to {worker} was {ended}")
    return Measure(max(0.0, median(took_s) - median(wanted_s)))


def _bytes_to_the_cut(history: History, worker: str, timeline: Timeline) -> Measure:
    """What connections that were cut had carried."""
    during = Probes(history, worker, timeline.fault)
    received = during.seen("received_bytes", ended="cut")
    if during.ended and not received:
        return Measure(0.0, f"no probe of {worker} was cut: they take no more bytes than that")
    return Measure(median(received) if received else None)


def _reset_share(history: History, worker: str, timeline: Timeline) -> Measure:
    during = Probes(history, worker, timeline.fault)
    return _of_connections(
        sum(each.states.get("ended") == "reset" for each in during.ended), len(during.ended)
    )


def _silent_share(history: History, worker: str, timeline: Timeline) -> Measure:
    return _of_connections(*Probes(history, worker, timeline.fault).silent())


def _of_connections(hit: int, count: int) -> Measure:
    """A share of connections, where each is hit by lot."""
    if not count:
        return Measure(None)
    share = hit / count
    return Measure(share, chance=2 * sqrt(share * (1 - share) / count))


MEASURES: Mapping[str, Measuring] = {
    "delay": _delay,
    "accept delay": _delay,
    "mean delay": partial(_delay, mean=True),
    "jitter": _jitter,
    "rate": _rate,
    "gap": _gap,
    "close delay": _close_delay,
    "time to the cut": partial(_time_to_the_end, ended="cut"),
    "time to the reset": partial(_time_to_the_end, ended="reset"),
    "bytes to the cut": _bytes_to_the_cut,
    "reset share": _reset_share,
    "silent share": _silent_share,
}
