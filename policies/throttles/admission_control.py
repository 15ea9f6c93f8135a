"""Envoy's admission control filter: refuse by how far the success rate is below a threshold."""

import asyncio
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.call_window import CallWindow
from policies.cut_off import cut_off
from policies.evidence import Answer, lesson
from policies.outcome import Outcome
from policies.policy import Layer, Next
from policies.refusal import refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionControl(Layer):
    """Refuses a call by chance: P = ((n - ok / threshold) / (n + 1)) ^ (1 / aggression), at most a cap.

    Source: Envoy, `envoy.filters.http.admission_control`. Calls count when they end, its own refusals never.

    Attributes:
        threshold_ratio: below this success rate it begins to refuse.
        aggression: 1 is linear; the higher, the more is refused right below the threshold.
        window_s: of the counts.
        rps_threshold: with fewer endings per second than this nothing is refused.
        max_reject_ratio: the most that is ever refused.
    """

    name: ClassVar[str] = "admission_control"
    meaning: ClassVar[str] = "refuses calls by chance while the success rate is below a threshold (Envoy)"

    threshold_ratio: float = 0.95
    aggression: float = 1.0
    window_s: float = 30.0
    rps_threshold: float = 0.0
    max_reject_ratio: float = 0.8

    _window: CallWindow = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "threshold_ratio", above=0, at_most=1)
        check(self, "aggression", at_least=1)
        check(self, "window_s", above=0)
        check(self, "rps_threshold", at_least=0)
        check(self, "max_reject_ratio", at_least=0, at_most=1)
        object.__setattr__(self, "_window", CallWindow(self.window_s))

    async def run(self, call: Call, next: Next) -> Outcome:
        loop = asyncio.get_running_loop()
        ratio = self._reject_ratio(loop.time())
        if ratio > 0 and call.rng.random() < ratio:
            return refusal(
                self.name, f"less than {self.threshold_ratio:.4g} of the recent calls were accepted"
            )
        outcome = None
        try:
            outcome = await next(call)
            return outcome
        finally:
            now = loop.time()
            self._count(lesson(outcome or cut_off(call, now)).throttle, now)

    def _reject_ratio(self, now: float) -> float:
        window = self._window
        window.move_to(now)
        if window.judged < self.rps_threshold * max(1.0, window.seen_for_s(now)):
            return 0.0
        ratio = reject_ratio(window.judged, window.accepted, self.threshold_ratio, self.aggression)
        return min(self.max_reject_ratio, ratio)

    def _count(self, answer: Answer, now: float) -> None:
        self._window.end(self._window.start(now), answer, now)


def reject_ratio(calls: int, ok: int, threshold_ratio: float, aggression: float) -> float:
    """The share of calls to refuse after `ok` of `calls` went well."""
    short = (calls - ok / threshold_ratio) / (calls + 1)
    return float(short ** (1 / aggression)) if short > 0 else 0.0  # 0 ** 0 would be all of them
