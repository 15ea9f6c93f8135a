"""A line that carries one thing at a time: right on average, though timers and the loop come late."""

from dataclasses import dataclass

CATCH_UP_S = 0.1  # what a stalled loop or reader cost beyond this stays lost, or it would end in a burst


@dataclass(slots=True)
class Line:
    """Its turns follow each other without a gap, as long as there is something to carry."""

    free_s: float | None = None  # loop time from which the line is free again; None before the first turn

    def take(self, for_s: float, ready_s: float, now_s: float) -> float:
        """Use the line for so long, behind all who came before; loop time when that is over, perhaps past.

        What is carried was there at `ready_s`. A turn that is asked for late begins when it could have
        begun, up to CATCH_UP_S ago; an idle line saves nothing up.
        """
        if self.free_s is None:
            self.free_s = now_s
        self.free_s = max(self.free_s, ready_s, now_s - CATCH_UP_S) + for_s
        return self.free_s
