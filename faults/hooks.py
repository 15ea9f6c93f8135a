"""What a worker asks of the fault in it. All answers here are those of a worker without a fault."""

from typing import ClassVar


class Hooks:
    """Times are seconds of the worker's loop. What takes none of these away needs no word of it."""

    __slots__ = ()

    steady: ClassVar[bool] = True  # a step takes as long whenever it begins, so that several may be foreseen
    only_first_tokens: ClassVar[bool] = False  # after it an answer stands still and holds its slot
    keeps_abandoned: ClassVar[bool] = False  # whose caller left is computed to the end all the same
    holds_requests: ClassVar[bool] = False  # whoever comes is taken and not answered
    shows_lost_slots: ClassVar[bool] = False  # slots that cannot be used look as if somebody ran in them
    freezes_reports: ClassVar[bool] = False  # metrics and load stay as they were when it began

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        """How long an engine step takes that would have taken `step_s`. Its slots stay held.

        `prefill`: at least one prompt is in it.
        """
        return step_s

    def held_until_s(self, ends_s: float, started_s: float, since_s: float) -> float:
        """When a step is let go that has taken its time at `ends_s`; infinity: not while this is there.

        `since_s`: when the fault began.
        """
        return ends_s

    def usable_slots(self, max_num_seqs: int) -> int:
        """How many batch slots requests may have."""
        return max_num_seqs

    def error_status(self) -> int | None:
        """The HTTP status that every request is answered with at once; None: it is served."""
        return None

    def health_s(self) -> float:
        """How long an answer about health takes."""
        return 0.0
