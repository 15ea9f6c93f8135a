"""How a call ended that was cancelled: its time ran out, which is an answer of sorts, or its caller left."""

from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.pipeline import EARLY_TIMER_S

_OUT_OF_TIME = Outcome(kind=Kind.TIMEOUT, phase="total", cause="deadline ran out", by="deadline", status=504)
_LEFT = Outcome(kind=Kind.ABANDONED, phase="admission", cause="the waiting side left")


def cut_off(call: Call, now: float) -> Outcome:
    """The ending of a call whose task was cancelled now."""
    return _OUT_OF_TIME if now + EARLY_TIMER_S >= call.deadline_s else _LEFT
