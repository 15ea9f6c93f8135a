"""Faults that hold nobody: what they touch ends at once, or is served as ever."""

from harness.judging.laws.given import Given, Predict
from harness.judging.result import Law

GONE = ("down", "down time")


def _refusing(given: Given) -> Law:
    rest = max(0.0, given.others)
    gone = given.bite.quantity in GONE
    who = "a worker that is gone refuses at once and" if gone else "what fails at once"
    words = f"{who} holds no slot: slots need not run out"
    return given.law.model_copy(update={"slots_needed": rest, "must_fill": False, "words": words})


def as_ever(given: Given) -> Law:
    """Nothing is served later than before."""
    words = "requests are served as fast as ever: slots need not run out"
    return given.law.model_copy(
        update={"slots_needed": given.service.in_use, "must_fill": False, "words": words}
    )


LAWS: dict[str, Predict] = {
    "down": _refusing,
    "down time": _refusing,
    "failed share": _refusing,
    "reset share": _refusing,
    "health delay": as_ever,
    "ageing of reports": as_ever,
}
