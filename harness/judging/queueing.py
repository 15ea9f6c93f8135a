"""The queueing formulas, numbers in and number out.

lambda is `arrivals_rps`, mu is `capacity_rps`; a service is a number of slots in front of the workers.
"""

from math import inf, sqrt

SATURATES_ABOVE = 1.1  # rho * s, or slots needed per slot: clearly too much
HOLDS_BELOW = 0.9  # clearly enough; in between chance decides


def full_batch_capacity_rps(max_num_seqs: int, tokens: float, step_s: float) -> float:
    """Most requests a second that a continuous batcher completes: a full batch of answers of `tokens` steps.

    An upper bound where steps at full batch take longer than the measured ones (they do not when padded).
    """
    return max_num_seqs / (tokens * step_s)


def slots_needed(arrivals_rps: float, held_s: float, others: float) -> float:
    """Little's law: the slots that requests held for `held_s` each take up, beside those of all `others`."""
    return arrivals_rps * held_s + others


def verdict_of_load(load: float) -> bool | None:
    """Whether a load relative to what can be carried must overflow; None where it is too close to call."""
    if HOLDS_BELOW <= load <= SATURATES_ABOVE:
        return None
    return load > SATURATES_ABOVE


def held_at_most(workers: int, max_num_seqs: int, max_queue: int | None) -> float:
    """Requests inside saturated workers: full batches and full queues. More are refused, and hold no slot.

    Infinite for a queue whose bound is not known.
    """
    return inf if max_queue is None else float(workers * (max_num_seqs + max_queue))


def must_fill(slots: int, held: float, others: float) -> bool | None:
    """Whether saturated workers that hold `held` take all slots of a service, beside those of all `others`.

    Chance moves the number of the others by its square root, so three times that must be left to say no.
    """
    verdict = verdict_of_load((held + others) / slots)
    others = max(0.0, others)
    return None if verdict is False and held + others + 3 * sqrt(others) > slots else verdict


def travel_s(free_slots: float, arrivals_rps: float, drained_rps: float, first_service_s: float) -> float:
    """Mean time until a saturated worker holds all free slots of a service.

    A batching worker completes next to nothing during its first slowed service time, and mu / s afterwards;
    with `first_service_s` 0 that is (C - L) / (lambda - mu / s). Infinite if it keeps up from then on.
    """
    if free_slots <= arrivals_rps * first_service_s:
        return max(0.0, free_slots) / arrivals_rps
    left = free_slots - drained_rps * first_service_s
    return left / (arrivals_rps - drained_rps) if arrivals_rps > drained_rps else inf


def full_between_s(slots: int, in_use: float, arrivals_rps: float, drained_rps: float) -> tuple[float, float]:
    """Between which times after the fault the slots of a service run out in one run.

    Earliest if nothing is completed, latest if mu / s is from the start; and by chance the number present is
    off by its standard deviation, about the square root of `slots` when they are nearly all taken.
    """
    free, chance = slots - in_use, sqrt(slots)
    latest = travel_s(free, arrivals_rps, drained_rps, 0.0)
    return max(0.0, free - chance) / arrivals_rps, max(latest, (free + chance) / arrivals_rps)


def captured_ratio(share: float, factor: float, at_most: float = inf, others: float = 0.0) -> float:
    """Share of the requests under way at workers that get `share` of them and take `factor` times as long.

    Little's law: p * k / (p * k + 1 - p). A floor where they saturate: their queues grow without end, or
    until they hold `at_most` beside the `others`.
    """
    captured = share * factor / (share * factor + 1 - share)
    return captured if at_most == inf else min(captured, at_most / (at_most + max(0.0, others)))


def unavoidable_loss_ratio(workers: int, rho: float, factor: float, faulted: int = 1) -> float:
    """What no routing can save: the share of the load beyond the capacity left. `rho`: load per worker."""
    left = workers - faulted + faulted / factor
    return max(0.0, 1 - left / (workers * rho)) if rho > 0 else 0.0
