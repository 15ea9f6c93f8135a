"""What a small request over a connection of its own saw of a link, and what is asked for by it.

The answer begins with a few pieces with time between them, as tokens come, and ends with many bytes at once:
so it shows delay, gaps and rate. The worker gives it straight from its event loop; no model works for it.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median

PROBE = "/probe"  # the route at which a worker gives such an answer

# The answer's body, piece by piece: how long after the one before it, and how many bytes.
PIECES = ((0.0, 256), (0.005, 256), (0.005, 256), (0.005, 256), (0.005, 32_000))
BODY_BYTES = sum(size for _, size in PIECES)

PROBE_TIMEOUT_S = 60.0  # until the first byte: longer than any latency worth injecting
FLOW_LIMIT_S = 5.0  # from the first byte on: enough to tell how fast a slow line is
CLOSE_LIMIT_S = 10.0


class Ended(StrEnum):
    """How a probe ended."""

    WHOLE = "whole"  # all of the answer came
    SLOW = "slow"  # some came, but not all within the limit
    CUT = "cut"  # the connection was closed before that
    RESET = "reset"  # or reset
    SILENT = "silent"  # nothing came
    REFUSED = "refused"  # there was no connection


@dataclass(frozen=True, slots=True)
class Probe:
    """Times in seconds since the probe began."""

    ended: Ended
    ended_s: float  # when that was known, without the closing
    connect_s: float | None = None  # None without a connection
    arrivals: tuple[tuple[float, int], ...] = ()  # when something came, and how many bytes
    close_s: float | None = None  # from saying goodbye to hearing that the connection has ended

    @property
    def first_s(self) -> float | None:
        """When the first byte came."""
        return self.arrivals[0][0] if self.arrivals else None

    @property
    def received_bytes(self) -> int:
        return sum(size for _, size in self.arrivals)

    def values(self) -> dict[str, float]:
        """By the names that they have as gauges. What was not seen is left out."""
        seen = {
            "took_s": self.ended_s,
            "connect_s": self.connect_s,
            "first_s": self.first_s,
            "rest_s": self.ended_s - self.first_s if self.first_s is not None else None,
            "gap_s": self._gap_s(),
            "rate_kb_per_s": self._rate_kb_per_s(),
            "received_bytes": self.received_bytes,
            "close_s": self.close_s,
            "probe_s": self.ended_s if self.ended is Ended.WHOLE else None,
        }
        return {name: float(value) for name, value in seen.items() if value is not None}

    def _gap_s(self) -> float | None:
        """The median time between two arrivals."""
        gaps_s = [later - sooner for (sooner, _), (later, _) in pairwise(self.arrivals)]
        return median(gaps_s) if gaps_s else None

    def _rate_kb_per_s(self) -> float | None:
        """Of what came after the first quarter, which is enough for the small pieces. None if at once."""
        early_bytes, received_bytes = 0, self.received_bytes
        for at_s, size in self.arrivals:
            early_bytes += size
            if early_bytes >= received_bytes / 4:
                took_s = self.arrivals[-1][0] - at_s
                return (received_bytes - early_bytes) / 1000 / took_s if took_s > 0 else None
        return None
