"""When the gates found the faulted worker, and which healthy ones they shut out or held back.

Read from the gateway's gauges, where each gate has a word about a worker only while it restricts it. A gate
that is merely full speaks of the load and not of the worker: a full bulkhead on a healthy worker is no false
alarm, and on the faulted one no detection. So `full`, and `full at <limit>`, do not count; an open or
half-open breaker, an ejection and a lower weight do.

Both are as fine as the gauges are frequent, and what came and went between two of them is not seen.
"""

import re
from collections.abc import Collection

from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.result import Trend
from harness.judging.windows import Window

_FULL = re.compile(r"\S+ full(?: at \S+)?")


def accused(gauge: Gauge) -> set[str]:
    """The workers that some gate restricts for more than being full."""
    return {worker for worker, words in gauge.states.items() if accusing(words)}


def accusing(words: str) -> str:
    """What of the gates' words about a worker is more than that they are full."""
    return _FULL.sub("", words).strip()


def detection(history: History, faulted: Collection[str], fault: Window) -> dict[str, Trend]:
    """`detection_s` and `false_alarms` by name, as figures of the run as a whole: neither has a before."""
    return {
        "detection_s": Trend(during=_after_s(history, faulted, fault)),
        "false_alarms": Trend(during=float(len(_falsely_accused(history, faulted, fault)))),
    }


def _after_s(history: History, faulted: Collection[str], fault: Window) -> float | None:
    """From the start of the fault to the first word about a faulted worker; None if never during it."""
    looks = between(_gauges(history), fault.start_s, fault.end_s)
    found = (look.at_s for look in looks if not accused(look).isdisjoint(faulted))
    first = next(found, None)
    return None if first is None else first - fault.start_s


def _falsely_accused(history: History, faulted: Collection[str], fault: Window) -> set[str]:
    """Workers that were restricted at any time in the run without a fault, before it came included."""
    found: set[str] = set()
    for look in _gauges(history):
        found |= accused(look) if look.at_s < fault.start_s else accused(look).difference(faulted)
    return found


def _gauges(history: History) -> list[Gauge]:
    gateways = [hop.name for hop in history.setup.hops if hop.slots is None]
    return [look for name in gateways for look in history.gauges(name) if look.states]
