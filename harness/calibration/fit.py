"""The four constants of the cost model from timed steps: non-negative least squares on relative error.

Relative, because a step of a hundred milliseconds would otherwise drown those of one millisecond, which are
nearly all that a worker takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.calibration.steps import Timed
from harness.errors import BadInput
from harness.judging.least_squares import non_negative
from harness.serving.cost_model import Costs

CONSTANTS = 4
FEWEST = 3 * CONSTANTS  # kinds of step; below this the noise of one decides


@dataclass(frozen=True, slots=True)
class Errors:
    """How far the model is off, as shares of the measured time: 0.1 is 10 %."""

    steps: int
    median_ratio: float
    p90_ratio: float
    worst_ratio: float
    worst: Timed


def fit_costs(name: str, timed: Sequence[Timed]) -> Costs:
    """The constants that make the mean square of the relative errors least, none of them below 0.

    Raises BadInput if the steps are too few or too much alike to tell the constants apart.
    """
    if len(timed) < FEWEST:
        raise BadInput(f"{len(timed)} kinds of step are too few to fit the cost model; {FEWEST} are needed")
    seconds = np.array([step.seconds for step in timed])
    if not (np.isfinite(seconds).all() and (seconds > 0).all()):
        raise BadInput("a step was timed at no time at all; the clock of this machine is too coarse")
    terms = np.array([(1, step.work.running, *_tokens(step)) for step in timed], dtype=np.float64)
    if np.linalg.matrix_rank(terms / terms.max(axis=0).clip(1)) < CONSTANTS:
        raise BadInput("the steps timed are too much alike to tell the constants of the cost model apart")
    fixed, sequence, prefill, kv = map(float, non_negative(terms / seconds[:, None], np.ones(len(timed))))
    return Costs(name=name, fixed_s=fixed, sequence_s=sequence, prefill_token_s=prefill, kv_token_s=kv)


def errors_of(costs: Costs, timed: Sequence[Timed]) -> Errors:
    """Of at least one step."""
    ratios = np.array([error_ratio(costs, step) for step in timed])
    return Errors(
        steps=len(timed),
        median_ratio=float(np.median(np.abs(ratios))),
        p90_ratio=float(np.quantile(np.abs(ratios), 0.9)),
        worst_ratio=float(np.abs(ratios).max()),
        worst=timed[int(np.abs(ratios).argmax())],
    )


def error_ratio(costs: Costs, step: Timed) -> float:
    """Above 0 where the model says longer than it took."""
    return costs.step_s(*step.work) / step.seconds - 1


def _tokens(step: Timed) -> tuple[int, int]:
    return step.work.prefill_tokens, step.work.kv_tokens
