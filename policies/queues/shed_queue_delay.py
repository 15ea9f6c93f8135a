"""A line bounded by how long it takes: short bursts wait, a standing line is thinned out."""

from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_word
from policies.queues.codel import Codel
from policies.queues.in_line import InLine
from policies.queues.line import DISCIPLINES, Discipline, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class ShedQueueDelay(InLine):
    """CoDel over the line: see `Codel` for the rule.

    Attributes:
        max_concurrent: calls inside at once.
        max_queue: calls that may wait for a permit; whoever comes after is refused at once.
        target_s: a wait that is no trouble; while the line stands, twice as much is dropped.
        interval_s: how long the line may stand before that.
        discipline: who is next: `fifo`, `lifo` or `adaptive_lifo`.
    """

    name: ClassVar[str] = "shed_queue_delay"
    meaning: ClassVar[str] = "drops what waited too long once a line stands for a whole interval (CoDel)"

    max_concurrent: int = 64
    max_queue: int = 128
    target_s: float = 0.25
    interval_s: float = 2.0
    discipline: Discipline = "adaptive_lifo"

    _line: Line = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_concurrent", at_least=1, whole=True)
        check(self, "max_queue", at_least=0, whole=True)
        check(self, "target_s", "interval_s", above=0)
        check_word(self, "discipline", of=DISCIPLINES)
        codel = Codel(self.target_s, self.interval_s)
        line = Line(self.name, self.max_concurrent, self.max_queue, self.discipline, codel)
        object.__setattr__(self, "_line", line)  # the dataclass is frozen
