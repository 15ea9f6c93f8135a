"""Work that nobody waits for: the worker computes what was asked and not only what was read."""

from harness.judging import queueing
from harness.judging.laws.given import Given, Predict, with_travel
from harness.judging.laws.unharmed import as_ever
from harness.judging.result import Law


def _to_the_end(given: Given) -> Law:
    """Whoever leaves holds no slot, so only those who stay can fill them: when, no law says.

    Who leaves because of a bound of a policy is not counted, as in every law.
    """
    longer = _asked_tokens(given) / given.load.tokens
    rho = given.law.rho or 0.0
    saturates = queueing.verdict_of_load(rho * longer)
    if saturates is False:
        return as_ever(given)
    known = given.law.model_copy(update={"rho_s": rho * longer, "must_fill": None})
    sign = "> 1: it must saturate" if saturates else "near 1: may go either way"
    words = f"rho * asked / read = {rho:.2f} * {longer:.1f} = {rho * longer:.1f} {sign}"
    return with_travel(known, given.service, 0.0, 0.0, words)


def _asked_tokens(given: Given) -> float:
    """The mean length of an answer, were it read to its end."""
    asking = [caller for caller in given.setup.callers if caller.inference]
    rate_rps = sum(caller.rate_rps for caller in asking)
    return sum(caller.rate_rps * caller.max_tokens for caller in asking) / rate_rps


LAWS: dict[str, Predict] = {"kept after leaving": _to_the_end}
