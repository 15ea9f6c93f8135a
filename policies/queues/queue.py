"""What most servers do: a bounded number of calls at once, and an endless line behind them."""

from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_word
from policies.queues.in_line import InLine
from policies.queues.line import DISCIPLINES, Discipline, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(InLine):
    """Nobody is refused; whoever finds no permit waits, however many do.

    Attributes:
        max_concurrent: calls inside at once.
        discipline: who is next: `fifo`, `lifo` or `adaptive_lifo`.
    """

    name: ClassVar[str] = "queue"
    meaning: ClassVar[str] = "bounds calls at once; the rest wait in a line without an end"

    max_concurrent: int = 64
    discipline: Discipline = "fifo"

    _line: Line = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_concurrent", at_least=1, whole=True)
        check_word(self, "discipline", of=DISCIPLINES)
        line = Line(self.name, self.max_concurrent, discipline=self.discipline)
        object.__setattr__(self, "_line", line)  # the dataclass is frozen
