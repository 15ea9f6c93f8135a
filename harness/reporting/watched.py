"""What a run looks like right now: the state that the live view and the plain lines are drawn from."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

EVENTS = 5
_IN_USE = ("in_use", "in_flight", "running")


@dataclass(slots=True)
class Watched:
    """`starts`: seconds from the start of the run to each phase; the last one is when sending ends."""

    title: str = ""
    slots: dict[str, int | None] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    phase: str = ""
    began_s: float | None = None  # on the console's clock, when the first phase began
    values: dict[str, Mapping[str, float]] = field(default_factory=dict)
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS))

    def enter(self, phase: str, now_s: float) -> None:
        if self.began_s is None:
            self.began_s = now_s - self.starts.get(phase, 0.0)
        self.phase = phase

    def clock(self, now_s: float) -> str:
        """`fault 21/41 s`, or `starting` before the first phase."""
        if self.began_s is None:
            return "starting"
        total_s = max(self.starts.values(), default=0.0)
        return f"{self.phase} {now_s - self.began_s:.0f}/{total_s:.0f} s"

    def in_use(self, place: str) -> str:
        """`24/24`: slots held of slots there are; only the former where they are unbounded."""
        values = self.values.get(place, {})
        held = next((values[name] for name in _IN_USE if name in values), None)
        if held is None:
            return "down" if values.get("up") == 0 else "-"
        slots = self.slots.get(place)
        return f"{held:.0f}" if slots is None else f"{held:.0f}/{slots}"

    def waiting(self, place: str) -> str:
        value = self.values.get(place, {}).get("waiting")
        return "-" if value is None else f"{value:.0f}"

    @property
    def places(self) -> list[str]:
        """Hops first, in their own order, then whatever else was sampled."""
        return [*self.slots, *(place for place in self.values if place not in self.slots)]
