"""The fit gives back what the steps were made from, and refuses what cannot be told apart."""

import random

import pytest

from harness.calibration.fit import FEWEST, errors_of, fit_costs
from harness.calibration.plan import check_cycles, fit_cycles
from harness.calibration.steps import Timed, Work
from harness.errors import BadInput
from harness.serving.cost_model import Costs

TRUE = Costs(name="true", fixed_s=1e-3, sequence_s=5e-5, prefill_token_s=6e-5, kv_token_s=4e-7)


def works() -> list[Work]:
    """A grid as the plan has it."""
    found = []
    for cycle in fit_cycles():
        running, kv = len(cycle.prompts), sum(cycle.prompts)
        found += [Work(sum(cycle.prompts), 0, 0), Work(0, running, kv), Work(sum(cycle.joins), running, kv)]
    return list(dict.fromkeys(found))


def timed(costs: Costs, noise: float = 0.0) -> list[Timed]:
    rng = random.Random(1)
    return [Timed(work, costs.step_s(*work) * (1 + rng.uniform(-noise, noise))) for work in works()]


def constants(costs: Costs) -> list[float]:
    return [costs.fixed_s, costs.sequence_s, costs.prefill_token_s, costs.kv_token_s]


def test_without_noise_the_constants_come_back_exactly() -> None:
    assert constants(fit_costs("x", timed(TRUE))) == pytest.approx(constants(TRUE), rel=1e-9)


def test_with_ten_percent_noise_the_constants_come_back_within_a_few_percent() -> None:
    found = fit_costs("x", timed(TRUE, noise=0.1))
    assert found.fixed_s == pytest.approx(TRUE.fixed_s, rel=0.05)
    assert found.sequence_s == pytest.approx(TRUE.sequence_s, rel=0.15)
    assert found.prefill_token_s == pytest.approx(TRUE.prefill_token_s, rel=0.05)
    assert found.kv_token_s == pytest.approx(TRUE.kv_token_s, rel=0.15)


def test_no_constant_falls_below_zero() -> None:
    shrinking = [Timed(work, 1e-2 + 1e-4 * work.prefill_tokens - 1e-6 * work.running) for work in works()]
    found = fit_costs("x", shrinking)
    assert min(constants(found)) == 0
    assert found.fixed_s == pytest.approx(1e-2, rel=0.01)
    assert found.prefill_token_s == pytest.approx(1e-4, rel=0.01)


def test_short_steps_count_as_much_as_long_ones() -> None:
    """A prefill a thousand times longer that is 20 % off the line must not spoil the decode steps."""
    bent = [
        step._replace(seconds=step.seconds * 1.2) if step.work.prefill_tokens > 1000 else step
        for step in timed(TRUE)
    ]
    decode = [step for step in timed(TRUE) if not step.work.prefill_tokens]
    assert errors_of(fit_costs("x", bent), decode).worst_ratio < 0.1


def test_too_few_steps_are_refused() -> None:
    with pytest.raises(BadInput, match=f"{FEWEST - 1} kinds of step are too few"):
        fit_costs("x", timed(TRUE)[: FEWEST - 1])


def test_steps_that_never_prefill_are_refused() -> None:
    decode = [Timed(Work(0, n, n * kv), 1e-3) for n in (1, 2, 4, 8) for kv in (10, 20, 40)]
    with pytest.raises(BadInput, match="too much alike"):
        fit_costs("x", decode)


def test_a_clock_too_coarse_is_refused() -> None:
    with pytest.raises(BadInput, match="no time at all"):
        fit_costs("x", [step._replace(seconds=0.0) for step in timed(TRUE)])


def test_errors_are_shares_of_the_measured_time() -> None:
    steps = [Timed(Work(0, 0, 0), 1e-3 / (1 + off)) for off in (0.1, -0.2, 0.0)]
    errors = errors_of(TRUE, steps)
    assert errors.median_ratio == pytest.approx(0.1)
    assert errors.worst_ratio == pytest.approx(0.2)
    assert errors.worst is steps[1]


def test_no_batch_of_the_check_is_one_of_the_fit() -> None:
    assert not {cycle.prompts for cycle in fit_cycles()} & {cycle.prompts for cycle in check_cycles()}
