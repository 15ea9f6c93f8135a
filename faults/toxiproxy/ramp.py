"""A toxic whose numbers move: evenly, from those of one toxic to those of another."""

from dataclasses import dataclass, replace

from faults.toxiproxy.toxics.toxic import Toxic


@dataclass(frozen=True, slots=True)
class Ramp:
    """From `start` to `end`, both of one kind, within `over_s` seconds (above 0); then it stays at `end`."""

    start: Toxic
    end: Toxic
    over_s: float

    def at(self, passed_s: float) -> Toxic:
        """The toxic so many seconds after the start, every number whole."""
        share = min(1.0, passed_s / self.over_s)
        end = self.end.attributes()
        values = {
            name: round(value + (end[name] - value) * share)
            for name, value in self.start.attributes().items()
        }
        return replace(self.start, **values)
