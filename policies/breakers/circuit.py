"""The state machine of a circuit breaker: numbers in, numbers out, no loop and no attempts.

An opening can be due to attempts still in flight, and nothing happens at the moment when one of them becomes
slow. So the state at any time is computed from what was recorded and from the times at which attempts in
flight became slow (`slow_since`): looking changes nothing, and `settle` makes it lasting.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from policies.breakers.rolling_window import Counts, RollingWindow
from policies.evidence import Evidence

WHOLE = 1 - 1e-9  # 7 of 100 are a share of 0.07, whatever floating point makes of it


class Phase(StrEnum):
    """Where a circuit stands."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitRules:
    """When a circuit opens and for how long.

    Attributes:
        window_s: span over which endings are counted.
        min_calls: judged attempts below which nothing is decided.
        failure_ratio, slow_ratio: shares of the attempts at which the circuit opens.
        combined: add up how far each share has come towards its ratio, instead of judging them apart.
        open_s, max_open_s: first time open, doubled with every reopening up to the second.
        jitter_ratio: largest share taken off at random, so that breakers do not probe in step.
        half_open_permits: probes allowed at once, and successes needed to close.
    """

    window_s: float = 30.0
    min_calls: int = 8
    failure_ratio: float = 0.5
    slow_ratio: float = 0.5
    combined: bool = True
    open_s: float = 10.0
    max_open_s: float = 120.0
    jitter_ratio: float = 0.2
    half_open_permits: int = 1

    def trips(self, counts: Counts) -> bool:
        """Whether these counts open a closed circuit."""
        if counts.calls < self.min_calls:
            return False
        failures = counts.failures / (counts.calls * self.failure_ratio)
        slow = counts.slow / (counts.calls * self.slow_ratio)
        return (failures + slow if self.combined else max(failures, slow)) >= WHOLE

    def draw_open_s(self, reopenings: int, rng: random.Random) -> float:
        """How long to stay open after so many reopenings in a row."""
        longest_s = min(self.max_open_s, self.open_s * 2.0 ** min(reopenings, 64))
        return longest_s * (1 - self.jitter_ratio * rng.random())


class Circuit:
    """One worker's circuit. `epoch` changes with every opening and closing."""

    def __init__(self, rules: CircuitRules, rng: random.Random) -> None:
        self.rules = rules
        self.epoch = 0
        self._rng = rng
        self._window = RollingWindow(rules.window_s)
        self._open_until_s: float | None = None  # None while closed
        self._openings = 0  # in a row
        self._successes = 0  # of probes
        self._next_open_s = rules.draw_open_s(0, rng)  # drawn ahead, because looking must not draw

    @property
    def closed(self) -> bool:
        """Closed by what was recorded; attempts in flight may say otherwise."""
        return self._open_until_s is None

    def phase(self, now: float, slow_since: Sequence[float] = ()) -> Phase:
        """The state at `now`, given when each slow attempt of this epoch still in flight became slow."""
        until_s = self.open_until_s(now, slow_since)
        if until_s is None:
            return Phase.CLOSED
        return Phase.OPEN if now < until_s else Phase.HALF_OPEN

    def open_until_s(self, now: float, slow_since: Sequence[float] = ()) -> float | None:
        """Start of the half-open time, past or to come; None while closed."""
        opens_s = self._opens_s(now, slow_since)
        return self._open_until_s if opens_s is None else opens_s + self._next_open_s

    def permits(self, now: float, slow_since: Sequence[float], probes: int) -> float:
        """How many attempts may enter, given the probes that are out. Infinite while closed."""
        match self.phase(now, slow_since):
            case Phase.CLOSED:
                return float("inf")
            case Phase.OPEN:
                return 0
        if self._opens_s(now, slow_since) is not None:
            return self.rules.half_open_permits  # those attempts belong to the epoch before
        return self.rules.half_open_permits - self._successes - probes

    def settle(self, now: float, slow_since: Sequence[float]) -> None:
        """Make an opening that attempts in flight have brought about lasting."""
        opens_s = self._opens_s(now, slow_since)
        if opens_s is not None:
            self._open(opens_s)

    def record(self, evidence: Evidence, now: float) -> None:
        """Take in the ending of an attempt of this epoch."""
        if evidence is Evidence.NOTHING:
            return
        if self._open_until_s is not None:
            self._record_probe(evidence, now)
            return
        self._window.add(evidence, now)
        if self.rules.trips(self._window.counts(now)):
            self._open(now)

    def _record_probe(self, evidence: Evidence, now: float) -> None:
        if evidence is not Evidence.SUCCESS:
            self._open(now)
            return
        self._successes += 1
        if self._successes >= self.rules.half_open_permits:
            self._close()

    def _opens_s(self, now: float, slow_since: Sequence[float]) -> float | None:
        """When the slow attempts in flight open it, None if they do not."""
        if not slow_since:
            return None
        if self._open_until_s is not None:
            return min(slow_since)  # a slow probe reopens
        ended = self._window.counts(now)
        for number, since_s in enumerate(sorted(slow_since), 1):
            if self.rules.trips(ended.with_slow(number)):
                return since_s
        return None

    def _open(self, at_s: float) -> None:
        self._openings += 1
        self._start_epoch(open_until_s=at_s + self._next_open_s)

    def _close(self) -> None:
        self._openings = 0
        self._start_epoch(open_until_s=None)

    def _start_epoch(self, open_until_s: float | None) -> None:
        self.epoch += 1
        self._open_until_s = open_until_s
        self._successes = 0
        self._window.clear()
        self._next_open_s = self.rules.draw_open_s(self._openings, self._rng)
