"""What small requests through the link show of a fault."""

from collections.abc import Sequence

import numpy as np

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


def _delay(history: History, worker: str, timeline: Timeline) -> Measure:
    """The rise of the median round trip through the link, in seconds."""
    gauges = history.gauges(f"link {worker}")
    before_s, during_s = _median_probe_s(gauges, timeline.before()), _median_probe_s(gauges, timeline.fault)
    return Measure(during_s - before_s if before_s is not None and during_s is not None else None)


MEASURES: dict[str, Measuring] = {"delay": _delay}


def _median_probe_s(gauges: Sequence[Gauge], window: Window) -> float | None:
    looks = between(gauges, window.start_s, window.end_s)
    probes = [gauge.values["probe_s"] for gauge in looks if "probe_s" in gauge.values]
    return float(np.median(probes)) if probes else None
