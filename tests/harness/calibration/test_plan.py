"""Which batches are timed."""

import pytest

from harness.calibration.plan import (
    DECODES,
    LARGEST_PREFILL,
    MAX_NUM_SEQS,
    Cycle,
    affordable,
    check_cycles,
    fit_cycles,
    spread,
)
from harness.errors import BadInput

FAST = (1e-5, 1e-4)  # seconds a prompt token and a step


def test_no_batch_needs_more_slots_than_there_are() -> None:
    assert max(len(c.prompts) + len(c.joins) for c in [*fit_cycles(), *check_cycles()]) == MAX_NUM_SEQS


def test_a_spread_keeps_its_mean_and_differs() -> None:
    assert spread(100, 5) == (50, 75, 100, 125, 150)
    assert spread(100, 1) == (100,)


def test_a_fast_model_gets_every_batch_that_is_not_too_large() -> None:
    kept = affordable(fit_cycles(), *FAST, limit_s=10, max_model_len=1024)
    assert len(kept) >= 23
    assert max(cycle.tokens for cycle in kept) <= LARGEST_PREFILL


def test_a_slow_model_gets_the_cheapest_batches_within_the_limit() -> None:
    kept = affordable(fit_cycles(), 8e-3, 0.15, limit_s=12, max_model_len=2048)
    assert 0 < sum(c.tokens * 8e-3 + c.steps * 0.15 for c in kept) <= 12
    assert max(c.tokens for c in kept) < max(c.tokens for c in fit_cycles())


def test_a_short_model_gets_no_sequence_that_it_cannot_hold() -> None:
    kept = affordable(fit_cycles(), *FAST, limit_s=10, max_model_len=64)
    assert all(max((*c.prompts, *c.joins)) + 1 + DECODES <= 64 for c in kept)


def test_a_model_that_is_too_slow_for_a_single_batch_is_refused() -> None:
    with pytest.raises(BadInput, match="too slow or too short to calibrate: 1e\\+03 ms a prompt token"):
        affordable(fit_cycles(), 1.0, 1.0, limit_s=5, max_model_len=2048)


def test_the_steps_of_a_cycle_are_counted() -> None:
    assert Cycle((8, 8), (4,)).steps == 1 + DECODES + 1
    assert Cycle((8, 8), ()).steps == 1 + DECODES
