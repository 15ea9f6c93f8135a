"""When requests are sent: a schedule made before the run, so that a slow system cannot slow the load."""

import random


def poisson(rate_rps: float, start_s: float, end_s: float, rng: random.Random) -> list[float]:
    """Arrival times in [start_s, end_s) with exponential gaps of mean 1 / `rate_rps`, ascending."""
    if not rate_rps > 0:
        raise ValueError(f"rate_rps must be above 0, got {rate_rps}")
    times = []
    at_s = start_s + rng.expovariate(rate_rps)
    while at_s < end_s:
        times.append(at_s)
        at_s += rng.expovariate(rate_rps)
    return times
