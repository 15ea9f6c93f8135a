"""What is wanted of a proxy beyond the original: toxics with a time limit or a ramp, and how it receives."""

from collections.abc import Sequence
from dataclasses import dataclass

from faults.toxiproxy.placement import Placement
from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.reception import Reception


@dataclass(frozen=True, slots=True)
class ToxicOrder:
    """A toxic to put on a proxy, or to change if one of that name is there."""

    placement: Placement
    time_limit_s: float | None = None  # None: until somebody takes it off
    ramp: Ramp | None = None  # starts at the toxic of `placement`


@dataclass(frozen=True, slots=True)
class Extras:
    """What a proxy is to have besides its setting. None: as it is."""

    reception: Reception | None = None
    toxics: Sequence[ToxicOrder] | None = None


NO_EXTRAS = Extras()
