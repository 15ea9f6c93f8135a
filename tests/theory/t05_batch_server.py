"""A server that takes all that wait (Inoue 2021): the cost model with a large batch and one-token answers."""

import numpy as np

from harness.clock import run_virtual
from harness.serving.cost_model import CostModel, Costs
from tests.theory.draws import Draws, even_draws, exponential
from tests.theory.queueing_parts import Census, inside, open_loop, running, worker_on
from tests.theory.recursions import SAME, batch_server, same_path
from tests.theory.row import Row, Target

TARGET = Target("T05", "Batch service, Inoue 2021")

EACH_S, FIXED_S = 1.0, 5.0  # a batch of b takes EACH_S * b + FIXED_S
LARGE = 4096  # batch slots, more than ever wait

# Arrivals per second: mean sojourn in seconds, mean batch.
QUOTED = {0.3: (11.75, 2.31), 0.5: (16.64, 5.03), 0.7: (27.65, 11.7), 0.9: (82.3, 45.0)}

# Standard deviation (sd) of the mean sojourn, as a ratio, in ten runs of the recursion with 100,000 jobs.
CHANCE = {0.3: 0.0009, 0.5: 0.0021, 0.7: 0.0015, 0.9: 0.0045}


def fast() -> list[Row]:
    """In 40 runs of the recursion of 10,000 jobs the mean deviated by 0.42 %; four times that fit in 3 %."""
    return _rows(0.5, 4_000)


def full() -> list[Row]:
    jobs = {0.3: 100_000, 0.5: 100_000, 0.7: 100_000, 0.9: 200_000}
    return [row for rate, count in jobs.items() for row in _rows(rate, count)]


def bound_s(rate: float) -> float:
    """Upper bound on the mean sojourn."""
    load = rate * EACH_S
    factor = 1 + 2 * rate * FIXED_S + (1 - rate * FIXED_S) / (1 + load)
    first = (EACH_S + FIXED_S) / (2 * (1 - load)) * factor
    second = 1.5 * FIXED_S / (1 - load) + EACH_S / 2 * (load + 2) / (1 - load**2)
    return min(first, second)


def _rows(rate: float, jobs: int) -> list[Row]:
    arrivals_s = exponential(even_draws(jobs, f"T05 gaps {rate}"), 1 / rate).cumsum()
    sojourns_s, mean_batch = run_virtual(_serve(arrivals_s))
    theirs_s, batches = batch_server(arrivals_s, EACH_S, FIXED_S)
    name, (quoted_s, quoted_batch) = f"a 1, t0 5, l {rate}", QUOTED[rate]
    bound, chance = bound_s(rate), 4 * CHANCE[rate] * (100_000 / jobs) ** 0.5
    return [
        same_path(TARGET, f"{name}: sojourns", sojourns_s, theirs_s, arrivals_s[-1]),
        TARGET.relative(f"{name}: mean batch of the recursion", float(np.mean(batches)), mean_batch, SAME),
        TARGET.relative(f"{name}: E[T], s", quoted_s, sojourns_s.mean(), 0.03),
        TARGET.relative(f"{name}: mean batch", quoted_batch, mean_batch, 0.03),
        TARGET.between(
            f"{name}: E[T] and its bound, s",
            bound,
            sojourns_s.mean(),
            0.0,
            bound * (1 + chance),
            "at most, and 4 sd",
        ),
    ]


async def _serve(arrivals_s: Draws) -> tuple[Draws, float]:
    costs = Costs(name="batch", fixed_s=FIXED_S, sequence_s=EACH_S, prefill_token_s=EACH_S, kv_token_s=0.0)
    worker = worker_on(CostModel(costs, max_num_seqs=LARGE))
    census = Census(lambda: inside(worker))
    async with running(worker):
        await open_loop(arrivals_s.tolist(), worker.handle, census)
    return np.array(census.sojourns_s), worker.counts.tokens / worker.counts.steps
