"""What only a run under load shows: how late steps end, and what lies between the tiers.

Read from the history of a run in which nothing is wrong, after its warm-up. Requests are those of inference
that were answered at the first attempt.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean, median

from harness.judging.effects.steps import mean_step_s
from harness.judging.grouping import grouped
from harness.judging.history import History, Visit
from harness.judging.requests import Request, join, sent_within
from harness.judging.windows import Window, timeline

TRIMMED_RATIO = 0.1  # of the first tokens, at either end: a step that a busy core held up is no link


@dataclass(frozen=True, slots=True)
class Way:
    """One request from its caller to a worker, and its first token back. Durations in seconds.

    Attributes:
        hop_s: a hop between callers, services and gateway, there and back, without waiting for slots.
        behind_s: from the sending of its attempt to its first token at the gateway.
    """

    hop_s: float
    behind_s: float


def late_s(history: History) -> float:
    """How much longer than their floor steps took in the mean; 0 where they have none.

    Holds where computing takes less than the floor. ValueError if no step was taken.
    """
    floor_s = history.setup.step_floor_s
    if not floor_s:
        return 0.0
    means_s = [mean_step_s(history.gauges(name), _loaded(history)) for name in history.setup.workers]
    known_s = [mean for mean in means_s if mean]
    if not known_s:
        raise ValueError("no worker took a step under load")
    return max(0.0, fmean(known_s) - floor_s)


def hop_s(history: History) -> float:
    """The median hop. ValueError if no request was answered."""
    return max(0.0, median(way.hop_s for way in ways(history)))


def link_s(history: History, without: History) -> float:
    """How much later first tokens come to the gateway than in `without`, the same run with nothing between.

    In the trimmed mean: the wait for the step before differs evenly by a whole step, and the median of so
    few requests would be off by a millisecond.
    """
    there, here = (_trimmed_mean([way.behind_s for way in ways(each)]) for each in (history, without))
    return max(0.0, there - here)


def ways(history: History) -> list[Way]:
    """ValueError if no request was answered under load."""
    visits = grouped(history.of(Visit), attrgetter("request"))
    found = list(_ways(sent_within(join(history), _loaded(history)), visits))
    if not found:
        raise ValueError("no request was answered under load")
    return found


def _ways(requests: Sequence[Request], visits: dict[str, list[Visit]]) -> Iterator[Way]:
    for request in requests:
        first_s = request.ended.first_token_s
        if not request.answered or first_s is None or len(request.attempts) != 1:
            continue
        attempt, passed = request.attempts[0], visits[request.arrived.request]
        if attempt.first_token_s is None:
            continue
        waited_s = sum(visit.granted_s - visit.arrived_s for visit in passed if visit.granted_s is not None)
        gateway_s = attempt.first_token_s - max(visit.arrived_s for visit in passed)
        between_s = first_s - request.arrived.at_s - waited_s - gateway_s
        yield Way(between_s / len(passed), attempt.first_token_s - attempt.started_s)


def _loaded(history: History) -> Window:
    """From the end of the warm-up until no more is sent."""
    phases = timeline(history).phases
    return Window(phases["baseline"].start_s, phases["drain"].start_s)


def _trimmed_mean(values: Sequence[float]) -> float:
    left_out = int(TRIMMED_RATIO * len(values))
    return fmean(sorted(values)[left_out : len(values) - left_out])
