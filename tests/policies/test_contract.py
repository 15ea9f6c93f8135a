"""What must hold for every policy in the registry and every preset, those still to come included."""

import ast
import asyncio
import math
import re
from dataclasses import FrozenInstanceError, is_dataclass
from pathlib import Path

import pytest

import policies
from policies import outliers, timers
from policies.assembly import assemble
from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.notation import parse, spell
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Gate, Lease, Picker, Rejection
from policies.presets import PRESETS
from policies.registry import POLICIES, make, parameter_defaults

WORKERS = ("w0", "w1", "w2", "w3")
SOURCES = sorted(Path(policies.__file__).parent.rglob("*.py"))
ODD_VALUES = (-1, 0, 1, 1e300, -math.inf, math.inf, True, None, "no such", "", (1, 2), ("x",), object())


def of_kind(kind):
    return pytest.mark.parametrize("name", [n for n, p in POLICIES.items() if issubclass(p, kind)])


every_policy = pytest.mark.parametrize("name", POLICIES)
every_preset = pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)


def pipeline_with(name):
    """A pipeline of this one policy, wherever it belongs."""
    return assemble([make(name)])


async def answer(attempt):
    await asyncio.sleep(0.5)
    return OK


@every_policy
def test_a_policy_has_a_name_and_one_line_of_meaning(name):
    policy = POLICIES[name]
    assert policy.name == name
    assert 10 <= len(policy.meaning) <= 90
    assert "\n" not in policy.meaning


@every_policy
def test_a_policy_is_a_frozen_value_of_its_parameters(name):
    policy = make(name)
    if not is_dataclass(policy):
        assert name == "none"
        return
    assert type(policy)(**parameter_defaults(name)) == policy
    for parameter in parameter_defaults(name):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(policy, parameter, 1)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        (name, parameter)
        for name in POLICIES
        for parameter, value in parameter_defaults(name).items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ],
)
def test_a_number_below_its_range_is_refused_by_name(name, parameter):
    for value in (-1, math.nan):
        with pytest.raises(ValueError, match=f"^{name}: {parameter} must be .*, got {value}$"):
            make(name, {parameter: value})


@pytest.mark.parametrize(
    ("name", "parameter"), [(name, parameter) for name in POLICIES for parameter in parameter_defaults(name)]
)
def test_a_value_of_the_wrong_kind_fits_or_is_refused_by_name(name, parameter):
    for value in ODD_VALUES:
        try:
            make(name, {parameter: value})
        except ValueError as refused:
            line = str(refused)
            assert re.match(rf"{name}: ({'|'.join(parameter_defaults(name))}) must ", line), line
            assert len(line.splitlines()) == 1


@every_policy
def test_a_text_is_no_value_of_a_number_or_a_switch(name):
    for parameter, default in parameter_defaults(name).items():
        if isinstance(default, (int, float)):
            for value in ("1", "false", (1,), None if isinstance(default, bool) else True):
                with pytest.raises(ValueError, match=rf"^{name}: .*\b{parameter}\b"):
                    make(name, {parameter: value})


@every_policy
def test_a_policy_makes_a_pipeline_alone_and_has_a_text(name):
    assert [policy.name for policy in parse(spell(make(name)))] == [name]
    assert assemble(parse(spell(make(name)))).policies


@every_policy
async def test_healthy_calls_pass_and_leave_nothing_behind(name):
    bound = pipeline_with(name).over(WORKERS, answer)
    for _ in range(3):
        calls = [bound.run(Call(id="c")) for _ in range(8)]
        assert await asyncio.gather(*calls) == [OK] * 8
    assert bound.pending.total() == 0
    assert bound.describe(asyncio.get_running_loop().time()) == {}


@every_policy
async def test_a_cancelled_call_ends_at_once_as_cancelled_and_leaves_nothing_behind(name):
    bound = pipeline_with(name).over(WORKERS, answer)
    tasks = [asyncio.create_task(bound.run(Call(id="c"))) for _ in range(200)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert asyncio.get_running_loop().time() == 0.1
    assert all(task.cancelled() or task.result().kind is Kind.REJECTED for task in tasks)
    assert bound.pending.total() == 0
    assert await bound.run(Call(id="c")) is OK


async def _cancelled_in_the_tick_of_its_answer(pipeline):
    """A call whose answer is ready when it is cancelled, before either could be acted on."""
    ready = asyncio.Event()

    async def wait(attempt):
        await ready.wait()
        return OK

    bound = pipeline.over(WORKERS, wait)
    task = asyncio.create_task(bound.run(Call(id="c", payload=b"question")))
    await asyncio.sleep(0.1)
    assert bound.pending.total() == 1
    ready.set()
    task.cancel()
    await asyncio.wait([task])
    assert bound.pending.total() == 0
    return task.cancelled()


# report 3: cpython#86296
@every_policy
async def test_a_cancellation_in_the_tick_of_the_answer_is_not_swallowed_by_a_policy(name):
    assert await _cancelled_in_the_tick_of_its_answer(pipeline_with(name))


# report 3: cpython#86296
@every_preset
async def test_a_cancellation_in_the_tick_of_the_answer_is_not_swallowed_by_a_stack(preset):
    assert await _cancelled_in_the_tick_of_its_answer(preset.build(len(WORKERS)))


@of_kind(Gate)
@pytest.mark.parametrize("kind", Kind)
def test_a_gate_takes_every_ending_and_holds_nothing_afterwards(name, kind, make_attempt):
    gate = make(name)
    leases = []
    while len(leases) < 5 and gate.weight("w0", 0.0) > 0:
        attempt = make_attempt()
        lease = gate.enter(attempt)
        assert isinstance(lease, Lease), "a gate with weight admits"
        leases.append((lease, attempt))
    for lease, attempt in leases:
        lease.close(attempt, Outcome(kind=kind), 0.2)
    assert gate.weight("w0", 1000.0) > 0
    assert gate.weight("w1", 0.2) > 0


@of_kind(Gate)
def test_a_gate_without_weight_rejects_and_one_line_says_why(name, make_attempt):
    if POLICIES[name] in outliers.POLICIES:
        return  # one worker alone is no outlier; their own tests have a pool
    if POLICIES[name] in timers.POLICIES:
        return  # bounds an attempt and shuts nobody out
    gate = make(name)
    for _ in range(100):
        attempt = make_attempt()
        entered = gate.enter(attempt)
        if isinstance(entered, Rejection):
            break
        if name.startswith("breaker"):
            entered.close(attempt, Outcome(kind=Kind.ERROR), 0.0)
    assert isinstance(entered, Rejection)
    assert gate.weight("w0", 0.0) == 0
    assert entered.reason
    assert "\n" not in entered.reason
    assert gate.describe("w0", 0.0)


@of_kind(Gate)
def test_looking_at_a_gate_is_no_event(name, make_attempt):
    gate = make(name)
    for worker in WORKERS:
        assert gate.weight(worker, 5.0) == 1
        assert gate.describe(worker, 5.0) == ""
    gate.enter(make_attempt())
    looks = [(gate.weight("w0", now), gate.describe("w0", now)) for now in (1e6, 0.0, 1e6, 0.0)]
    assert looks[:2] == looks[2:]


@of_kind(Picker)
async def test_a_picker_picks_one_of_the_candidates_whatever_they_are(name):
    picker = make(name)
    for size in (1, 2, 4, 1, 3):
        candidates = [Candidate(worker, 0.5 + i, 7 * i) for i, worker in enumerate(WORKERS[:size])]
        for _ in range(10):
            assert picker.pick(Call(id="c"), Candidates.of(candidates)) in candidates


@every_preset
def test_a_preset_has_a_name_a_meaning_and_fresh_state_every_time(preset, make_attempt):
    assert PRESETS[preset.name] is preset
    assert "\n" not in preset.meaning
    first, second = preset.build(4), preset.build(4)
    assert isinstance(first, Pipeline)
    for one, other in zip((*first.gates, *first.layers), (*second.gates, *second.layers), strict=True):
        assert one is not other
    for gate in first.gates:
        for _ in range(100):
            gate.enter(make_attempt())
    assert all(gate.weight("w0", 60.0) == 1 for gate in second.gates)


def names_called(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


# cpython#86296: wait_for can swallow a cancellation; time and chance belong to the loop and to the seeds
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_policy_uses_wait_for_the_wall_clock_or_the_global_random(path):
    forbidden = {"asyncio.wait_for", "time.time", "time.monotonic", "time.perf_counter", "datetime.now"}
    for name in names_called(path):
        assert name not in forbidden
        assert not name.startswith("random.") or name == "random.Random"
