"""Writes what happens at the hops into the history, on the run's own clock."""

import asyncio
from collections.abc import Callable, Sequence

from harness.judging.history import Attempted, Gauge, History, Refused, Visit
from policies.call import Attempt
from policies.outcome import Outcome
from policies.policy import Gate, Observer, Rejection


class Recorder(Observer):
    """Turns loop times into seconds since `start` was called."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._zero_s = 0.0
        self._clock: Callable[[], float] = _loop_time_s

    def start(self) -> None:
        """The run starts now."""
        self._clock = asyncio.get_running_loop().time
        self._zero_s = self._clock()

    def at(self, loop_time_s: float) -> float:
        return loop_time_s - self._zero_s

    def all_at(self, loop_times_s: Sequence[float]) -> list[float]:
        zero_s = self._zero_s
        return [each_s - zero_s for each_s in loop_times_s]

    def now(self) -> float:
        return self._clock() - self._zero_s

    def visit(self, hop: str, request: str, arrived_s: float, granted_s: float | None, kind: str) -> None:
        """A request left a hop. Times since the start of the run."""
        self.history.append(
            Visit(
                at_s=self._clock() - self._zero_s,
                hop=hop,
                request=request,
                arrived_s=arrived_s,
                granted_s=granted_s,
                kind=kind,
            )
        )

    def gauge(self, place: str, values: dict[str, float], states: dict[str, str] | None = None) -> None:
        self.history.append(Gauge(at_s=self.now(), place=place, values=values, states=states or {}))

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        first, zero_s = attempt.first_token_s, self._zero_s
        self.history.append(
            Attempted(
                at_s=self.at(now),
                request=attempt.call.id,
                number=attempt.number,
                worker=attempt.worker,
                started_s=self.at(attempt.started_s),
                kind=outcome.kind,
                phase=outcome.phase,
                cause=outcome.cause,
                tokens=attempt.tokens,
                first_token_s=None if first is None else self.at(first),
                # to microseconds; round(t, 6) goes through a decimal text and takes four times as long
                token_times_s=[round((t - zero_s) * 1e6) / 1e6 for t in attempt.token_times_s],
            )
        )

    def gate_rejected(self, attempt: Attempt, gate: Gate, rejection: Rejection) -> None:
        self.history.append(
            Refused(
                at_s=self.at(attempt.started_s),
                request=attempt.call.id,
                worker=attempt.worker,
                gate=gate.name,
                reason=rejection.reason,
            )
        )


def _loop_time_s() -> float:
    return asyncio.get_running_loop().time()
