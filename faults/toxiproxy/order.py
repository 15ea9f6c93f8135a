"""What is wanted of a proxy beyond the original: toxics with a time limit or a ramp, and how it receives."""

from collections.abc import Sequence
from dataclasses import dataclass

from faults.toxiproxy.placement import Placement
from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.reception import Reception


@dataclass(frozen=True, slots=True)
class TimedToxic:
    """A toxic to put on a proxy, or to change if one of that name is there."""

    placement: Placement
    time_limit_s: float | None = None  # None: until somebody takes it off
    ramp: Ramp | None = None  # starts at the toxic of `placement`


@dataclass(frozen=True, slots=True)
class Extras:
    """What a proxy is to have besides its setting. None: as it is."""

    accept_delay_ms: int | None = None
    refuse_when_down: bool | None = None
    toxics: Sequence[TimedToxic] = ()  # put there; others stay

    def reception(self, now: Reception) -> Reception:
        """How to receive from now on."""
        return Reception(
            now.accept_delay_ms if self.accept_delay_ms is None else self.accept_delay_ms,
            now.refuse_when_down if self.refuse_when_down is None else self.refuse_when_down,
        )


NO_EXTRAS = Extras()
