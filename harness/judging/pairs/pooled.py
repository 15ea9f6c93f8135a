"""The exact binomial bound on a share over the requests of all pairs together (Clopper and Pearson, 1934).

A share that is 0 in every pair has no noise, and its median's interval no width; but none of 40 does not
prove fewer than one in a thousand.
"""

from math import ceil, log

from scipy.special import betainc, betaincinv


def at_most(hits: float, count: float, error: float) -> float:
    """The largest share of which so few hits, or fewer, come with chance `error`. 1 without any request."""
    if count <= 0 or hits >= count:
        return 1.0
    return float(betaincinv(hits + 1, count - hits, 1 - error))


def at_least(hits: float, count: float, error: float) -> float:
    """The smallest share of which so many hits come with chance `error`."""
    return 1 - at_most(count - hits, count, error)


def chance_of(hits: float, count: float, share: float) -> float:
    """Of so many hits, or more, if each request is one with chance `share`."""
    return float(betainc(hits, count - hits + 1, share)) if hits > 0 else 1.0


def requests_needed(limit: float, error: float) -> int | None:
    """How many requests without a hit prove that the share is at most `limit`. None: nothing proves 0."""
    if limit <= 0:
        return None
    return ceil(log(error) / log(1 - limit)) if limit < 1 else 1
