"""Strides change nothing: whatever happens to a worker, everything comes out as with one timer a step."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_steps import SlowSteps
from faults.fault import WorkerFault
from faults.registry import FAULTS
from harness.clock import run_virtual
from harness.serving.cost_model import CostModel, Costs
from harness.serving.engine import Sequence
from harness.serving.pace import Pace
from harness.serving.stride import plan_stride
from policies.call import Attempt
from tests.harness.serving.memory_stand import MemoryStand, attempt, latency, memory_stand

SEEDS = 400
SHARDS = 8
SPAN_S = 3.0  # in which things happen
NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Request:
    """Loop seconds, and tokens."""

    name: str
    at_s: float
    prompt: int
    tokens: int
    stream: bool
    deadline_s: float
    leaves_s: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that happens to one worker."""

    costs: Costs
    seats: int
    max_queue: int
    requests: list[Request]
    meddling: list[tuple[float, str, int]]  # when, what, and how much of it

    @classmethod
    def drawn(cls, seed: int) -> "Schedule":
        rng = random.Random(f"{seed} strides")
        unit_s = rng.choice((1e-3, 1e-2, 3e-2))
        return cls(
            costs=Costs(
                name="drawn",
                fixed_s=unit_s,
                sequence_s=unit_s * rng.choice((0, 0.1)),
                prefill_token_s=unit_s * rng.choice((0, 0.05)),
                kv_token_s=unit_s * rng.choice((0, 0.003)),
                late_s=unit_s * rng.choice((0, 0.05)),
            ),
            seats=rng.choice((1, 2, 4, 8)),
            max_queue=rng.choice((0, 2, 16)),
            requests=[_request(rng, f"r{number}") for number in range(rng.choice((1, 4, 12, 20)))],
            meddling=[
                (rng.uniform(0, SPAN_S), rng.choice(list(ACTS)), rng.randrange(1, 400))
                for _ in range(rng.choice((0, 3, 12)))
            ],
        )


def _request(rng: random.Random, name: str) -> Request:
    at_s = rng.uniform(0, SPAN_S)
    return Request(
        name=name,
        at_s=at_s,
        prompt=rng.choice((1, 4, 60)),
        tokens=rng.choice((1, 2, 3, 16, 60)),
        stream=rng.random() < 0.8,
        deadline_s=at_s + rng.uniform(0, 1) if rng.random() < 0.2 else NEVER,
        leaves_s=at_s + rng.uniform(0, 1) if rng.random() < 0.2 else NEVER,
    )


INSIDE = [kind() for kind in FAULTS.values() if issubclass(kind, WorkerFault)]
INSIDE.append(PeriodicStall(stall_s=0.05, every_s=0.15))

# What may happen to a worker besides requests: a short lease runs out by itself, a second order renews it.
ACTS: dict[str, Callable[[MemoryStand, int], object]] = {
    "slow": lambda stand, much: stand.worker.inject(SlowSteps(factor=1 + much / 50), much / 100),
    "mild": lambda stand, much: stand.worker.inject(SlowSteps(factor=1.0), 5.0),
    "fault": lambda stand, much: stand.worker.inject(INSIDE[much % len(INSIDE)], much / 200),
    "heal": lambda stand, much: stand.worker.heal(),
    "late": lambda stand, much: stand.link.set_toxics([latency(much, jitter=much // 2)]),
    "on time": lambda stand, much: stand.link.remove_toxics(),
    "cut": lambda stand, much: stand.link.cut(),
    "look": lambda stand, much: stand.worker.shown.read(0.0).kv_usage_ratio,
    "single": lambda stand, much: stand.worker.take_single_steps(),
}


async def play(schedule: Schedule, seed: int, *, strides: bool) -> list[str]:
    """Everything that can be seen from outside, with exact times."""
    seen: list[str] = []
    size = {"seats": schedule.seats, "max_queue": schedule.max_queue}
    async with memory_stand(costs=schedule.costs, **size, strides=strides) as stand:
        loop = asyncio.get_running_loop()
        under_way: dict[str, Attempt] = {}
        for at_s, act, much in schedule.meddling:
            loop.call_at(at_s, partial(ACTS[act], stand, much))
        tasks = [asyncio.create_task(_ask(stand, request, under_way, seen)) for request in schedule.requests]
        looks = asyncio.create_task(_look(stand, under_way, random.Random(f"{seed} looks"), seen))
        await asyncio.wait(tasks)
        looks.cancel()
        await asyncio.sleep(1)
        seen.append(repr((await stand.admin.state(), stand.worker.counts, stand.worker.batcher)))
    return seen


async def _ask(stand: MemoryStand, request: Request, under_way: dict[str, Attempt], seen: list[str]) -> None:
    await asyncio.sleep(request.at_s)
    asked = attempt(request.name, request.tokens, request.stream, deadline_s=request.deadline_s)
    asked.call.prompt_tokens = request.prompt
    under_way[request.name] = asked
    try:
        async with asyncio.timeout_at(None if request.leaves_s == NEVER else request.leaves_s):
            ended: object = await stand.link.send(asked)
    except TimeoutError:
        ended = "left"
    del under_way[request.name]
    now = asyncio.get_running_loop().time()
    seen.append(repr((now, request.name, ended, asked.tokens, asked.first_token_s, asked.token_times_s)))


async def _look(
    stand: MemoryStand, under_way: dict[str, Attempt], rng: random.Random, seen: list[str]
) -> None:
    """Sample every gauge at random times, as policies and reports do."""
    while True:
        await asyncio.sleep(rng.expovariate(6))
        state, share = await stand.admin.state(), stand.worker.shown.read(0.0).kv_usage_ratio
        tokens = {name: (each.tokens, each.last_token_s) for name, each in under_way.items()}
        seen.append(repr((asyncio.get_running_loop().time(), state, share, tokens)))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_nothing_that_can_be_seen_depends_on_strides(shard: int) -> None:
    for seed in range(shard, SEEDS, SHARDS):
        schedule = Schedule.drawn(seed)
        single = run_virtual(play(schedule, seed, strides=False))
        assert run_virtual(play(schedule, seed, strides=True)) == single, f"seed {seed}: {schedule}"


def test_the_drawn_schedules_take_strides_and_meet_every_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the test above would compare single steps with single steps."""
    asked = 0

    def counted(self: CostModel, batch: list[Sequence]) -> list[int]:
        nonlocal asked
        asked += 1
        return [0] * len(batch)

    monkeypatch.setattr(CostModel, "step", counted)
    seen = [run_virtual(play(Schedule.drawn(seed), seed, strides=True)) for seed in range(60)]
    with_strides, asked = asked, 0
    assert seen == [run_virtual(play(Schedule.drawn(seed), seed, strides=False)) for seed in range(60)]
    assert with_strides < asked / 2
    words = "\n".join("\n".join(lines) for lines in seen)
    for ending in ("Kind.OK", "Kind.OVERLOAD", "Kind.TIMEOUT", "Kind.ERROR", "'left'"):
        assert ending in words
    meddling = [what for seed in range(SEEDS) for what in Schedule.drawn(seed).meddling]
    drawn = {INSIDE[much % len(INSIDE)] for _, act, much in meddling if act == "fault"}
    assert drawn == set(INSIDE)


STEADY = Pace()


def foresee(batch: object, steps: int) -> list[float]:
    return [0.1] * steps


class Seated:
    """A sequence with so many tokens of so many."""

    def __init__(self, has: int, of: int) -> None:
        self.tokens = [0] * has
        self.max_tokens = of


def test_a_stride_goes_to_the_first_end_of_an_answer() -> None:
    stride = plan_stride([Seated(1, 9), Seated(3, 6)], foresee, STEADY, 1.0, NEVER)
    assert stride is not None
    assert stride.ends_s == pytest.approx([1.1, 1.2, 1.3])
    assert [stride.over(now) for now in (1.0, 1.1, 1.15, 9.0)] == [0, 0, 1, 3]
    assert [stride.start_s(step) for step in (0, 1)] == pytest.approx([1.0, 1.1])


@pytest.mark.parametrize("batch", [[Seated(0, 9)], [Seated(1, 9), Seated(0, 9)], [Seated(8, 9)]])
def test_first_tokens_and_last_steps_are_taken_one_by_one(batch: list[Seated]) -> None:
    assert plan_stride(batch, foresee, STEADY, 0.0, NEVER) is None


def test_no_step_of_a_stride_but_the_first_begins_after_the_next_deadline() -> None:
    stride = plan_stride([Seated(1, 90)], foresee, STEADY, 0.0, 0.25)
    assert stride is not None
    assert stride.ends_s == pytest.approx([0.1, 0.2, 0.3])
    assert plan_stride([Seated(1, 90)], foresee, STEADY, 0.0, 0.05) is None


def test_every_step_of_a_stride_is_late_and_a_fault_does_not_stretch_that() -> None:
    pace = Pace(late_s=0.01)
    pace.inject(SlowSteps(factor=2), lease_s=60.0, now=0.0)
    stride = plan_stride([Seated(1, 4)], foresee, pace, 0.0, NEVER)
    assert stride is not None
    assert stride.ends_s == pytest.approx([0.21, 0.42, 0.63])


def test_no_step_of_a_stride_ends_after_the_lease_of_a_fault() -> None:
    pace = Pace()
    pace.inject(SlowSteps(factor=2), lease_s=0.7, now=0.0)
    stride = plan_stride([Seated(1, 90)], foresee, pace, 0.0, NEVER)
    assert stride is not None
    assert stride.ends_s == pytest.approx([0.2, 0.4, 0.6])
