"""Timing steps, with an engine whose times are known."""

import random
from collections.abc import Sequence as SequenceOf

import pytest

from harness.calibration.fit import errors_of, fit_costs
from harness.calibration.plan import DECODES, Cycle, check_cycles, fit_cycles
from harness.calibration.steps import MAX_ROUNDS, Timed, Work, time_cycle, time_rounds, work_of
from harness.serving.cost_model import CostModel, Costs
from harness.serving.engine import Sequence

COSTS = Costs(name="x", fixed_s=1e-3, sequence_s=5e-5, prefill_token_s=6e-5, kv_token_s=4e-7)


class Known(CostModel):
    """A cost model as an engine that takes its time, some rounds longer than others."""

    def __init__(self) -> None:
        super().__init__(COSTS, max_num_seqs=16)
        self.released: list[int] = []
        self.computed = 0
        self._rng = random.Random(1)

    def release(self, slot: int) -> None:
        self.released.append(slot)

    async def compute(self, batch: SequenceOf[Sequence]) -> tuple[list[int], float]:
        self.computed += 1
        slow = 3.0 if self._rng.random() < 0.2 else 1.0  # somebody else used the machine
        return self.step(batch), self.step_s(batch) * slow


async def test_a_cycle_is_prompts_then_decode_steps_then_the_joining_ones() -> None:
    engine = Known()
    timed = await time_cycle(engine, engine.compute, Cycle((8, 16), (4, 4)))
    assert [step.work for step in timed] == [
        Work(24, 0, 0),
        *(Work(0, 2, 26 + 2 * step) for step in range(DECODES)),
        Work(8, 2, 26 + 2 * DECODES),
    ]
    assert sorted(engine.released) == [0, 1, 2, 3]


async def test_slots_are_given_back_when_a_step_fails() -> None:
    engine = Known()

    async def broken(batch: SequenceOf[Sequence]) -> tuple[list[int], float]:
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError):
        await time_cycle(engine, broken, Cycle((8,), ()))
    assert engine.released == [0]


async def test_work_is_counted_as_the_cost_model_counts_it() -> None:
    engine = Known()
    batch = [Sequence([1] * 5, 9, slot=0, tokens=[1, 2]), Sequence([1] * 7, 9, slot=1)]
    assert work_of(batch) == Work(7, 1, 7)
    assert COSTS.step_s(*work_of(batch)) == engine.step_s(batch)


async def test_the_quickest_of_all_rounds_counts_so_disturbed_rounds_do_not_show() -> None:
    engine = Known()
    cycles = [*fit_cycles(), *check_cycles()]
    timed = await time_rounds(engine, engine.compute, cycles, limit_s=60)
    assert engine.computed == MAX_ROUNDS * sum(cycle.steps for cycle in cycles)
    fitted: list[Timed] = [step for cycle in fit_cycles() for step in timed[cycle]]
    checks = [step for cycle in check_cycles() for step in timed[cycle]]
    assert errors_of(fit_costs("x", fitted), checks).worst_ratio < 1e-9


async def test_two_rounds_are_made_even_when_time_is_over() -> None:
    engine = Known()
    await time_rounds(engine, engine.compute, [Cycle((8,), ())], limit_s=0)
    assert engine.computed == 2 * (1 + DECODES)


def test_kinds_of_step_are_named() -> None:
    assert [Work(8, 0, 0).kind, Work(0, 1, 8).kind, Work(8, 1, 8).kind] == ["prefill", "decode", "mixed"]
