"""Controlled delay: tells a standing line from a burst by the shortest wait. Numbers in, verdict out."""

from dataclasses import dataclass
from math import inf


@dataclass(slots=True)
class Codel:
    """CoDel as folly has it (`folly/executors/Codel.h`).

    If even the shortest wait of a whole interval was above the target, the line is a standing one, and what
    has waited longer than twice the target is dropped for the interval that follows. A burst has drained
    by the end of its interval, so that some wait in it was short.

    Two things differ from folly. A short wait now ends what was a standing line long ago. And the waits are
    those of the call that waits longest: under newest first, the waits of the next would always be short.

    Attributes:
        target_s: a wait that is no trouble.
        interval_s: how long a line may stand.
    """

    target_s: float
    interval_s: float
    overloaded: bool = False
    _shortest_s: float = 0.0
    _interval_ends_s: float = -inf

    def drops(self, waited_s: float, now: float) -> bool:
        """Whether a call that is looked at after this wait is dropped. Every look is a sample."""
        self._shortest_s = min(self._shortest_s, waited_s)
        if now >= self._interval_ends_s:
            self.overloaded = self._shortest_s > self.target_s
            self._interval_ends_s = now + self.interval_s
            self._shortest_s = waited_s
            return False  # one sample an interval would be no reason to drop it
        return self.overloaded and waited_s > 2 * self.target_s
