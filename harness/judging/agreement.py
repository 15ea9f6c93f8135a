"""Whether a run agrees with its law.

A verdict that contradicts its law is first of all a bug of ours, and is flagged.
"""

from collections.abc import Mapping

from harness.judging.result import Law


def with_measured(
    law: Law, full_after_s: Mapping[str, float | None], fault_s: float, *, spread: bool | None
) -> Law:
    """`law` with what was measured. `full_after_s` by service; `spread` None: the run could not decide."""
    if law.hop is None:
        return law
    first = min((at for at in full_after_s.values() if at is not None), default=None)
    prefix = "" if law.applies else f"{law.assumes}: "
    contradiction = _contradiction(law, first, fault_s, spread) if law.applies else ""
    words = f"{prefix}{law.words}{_seen(law, first)}"
    return law.model_copy(update={"words": words, "measured_s": first, "contradicted": contradiction})


def _seen(law: Law, full_after_s: float | None) -> str:
    if law.must_fill:
        return ", measured never" if full_after_s is None else f", measured {full_after_s:.1f} s"
    return ", and did not" if full_after_s is None else f", and did after {full_after_s:.1f} s"


def _contradiction(law: Law, full_after_s: float | None, fault_s: float, spread: bool | None) -> str:
    if law.must_fill and _arrived(law, fault_s) and full_after_s is None:
        return f"the slots of {law.hop} had to fill, and never did"
    if law.must_fill is False and full_after_s is not None:
        return "no service had to run out of slots, yet one did"
    return verdict_against(law, fault_s, spread=spread)


def verdict_against(law: Law, fault_s: float, *, spread: bool | None) -> str:
    """How a verdict, of one run or of several pairs together, contradicts the law; empty if it does not."""
    if law.applies and law.must_fill and _arrived(law, fault_s) and spread is False:
        return f"the slots of {law.hop} had to fill, yet the verdict is contained"
    if law.applies and law.must_fill is False and spread:
        return "no service had to run out of slots, yet the verdict is spread"
    return ""


def _arrived(law: Law, fault_s: float) -> bool:
    """Whether the fault lasted beyond the time by which the pressure must have come."""
    return law.full_high_s is not None and fault_s > law.full_high_s
