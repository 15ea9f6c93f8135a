"""A bounded number of calls at once, a bounded line behind them, and a plain no to the rest."""

from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_word
from policies.queues.in_line import InLine
from policies.queues.line import DISCIPLINES, Discipline, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class ShedQueueLength(InLine):
    """Bounds the line by its length.

    Attributes:
        max_concurrent: calls inside at once.
        max_queue: calls that may wait for a permit; whoever comes after is refused at once.
        discipline: who is next: `fifo`, `lifo` or `adaptive_lifo`.
    """

    name: ClassVar[str] = "shed_queue_length"
    meaning: ClassVar[str] = "bounds calls at once and in line, refuses the rest, drops the expired unsent"

    max_concurrent: int = 64
    max_queue: int = 128
    discipline: Discipline = "fifo"

    _line: Line = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_concurrent", at_least=1, whole=True)
        check(self, "max_queue", at_least=0, whole=True)
        check_word(self, "discipline", of=DISCIPLINES)
        line = Line(self.name, self.max_concurrent, self.max_queue, self.discipline)
        object.__setattr__(self, "_line", line)  # the dataclass is frozen
