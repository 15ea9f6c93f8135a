"""Accounts of calls, what their endings teach, and the load that retries add when everything fails."""

import asyncio

import pytest

from policies.assembly import assemble
from policies.call import UNLIMITED, Call
from policies.notation import parse
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Layer
from policies.retries.aws_budget import AwsBudget
from policies.retries.grpc_budget import GrpcBudget
from policies.retries.retry import Retry
from policies.retries.retry_budget import MODES, RetryBudget
from policies.timers.deadline import Deadline

FAILED = Outcome(kind=Kind.ERROR, status=500)
BUSY = Outcome(kind=Kind.OVERLOAD, status=503)
WORKERS = ("w0", "w1")


async def fail(attempt):
    await asyncio.sleep(0.1)
    return FAILED


def in_front_of(send, budget, *layers):
    return Pipeline(layers=(budget, *layers)).over(WORKERS, send)


async def retried(bound, calls, every_s):
    """Attempts beyond the first of calls that come one by one."""
    made = [Call(id=str(number)) for number in range(calls)]
    tasks = []
    for call in made:
        tasks.append(asyncio.create_task(bound.run(call)))
        await asyncio.sleep(every_s)
    await asyncio.gather(*tasks)
    return sum(call.attempts - 1 for call in made)


@pytest.mark.parametrize(
    ("parameters", "least", "most"),
    [
        ({"ratio": 0.1, "min_per_sec": 0.2}, 0.8 * 62, 62),  # a tenth of 500, and 0.2 a second for 60 s
        ({"ratio": 0.05, "min_per_sec": 0}, 0.8 * 25, 25),
        ({"mode": "grpc"}, 2, 4),  # one for each token above the half, unless retries fail in between
        ({"mode": "aws"}, 35, 35),  # 500 // 14
    ],
)
async def test_when_everything_fails_a_budget_adds_no_more_load_than_its_rule_says(parameters, least, most):
    bound = in_front_of(fail, RetryBudget(**parameters), Retry(max_attempts=2, initial_s=0))
    assert least <= await retried(bound, 500, every_s=0.1) <= most


@pytest.mark.parametrize(("ratio", "figure"), [(0.1, 10), (0.02, 3)])
async def test_when_a_hundred_calls_fail_at_once_envoys_rule_lets_its_share_of_them_be_retried(ratio, figure):
    bound = in_front_of(fail, RetryBudget(mode="envoy", ratio=ratio), Retry(max_attempts=2, initial_s=0))
    assert await retried(bound, 100, every_s=0) == figure


async def test_without_a_budget_every_call_is_retried():
    assert await retried(in_front_of(fail, Layer(), Retry(initial_s=0)), 100, every_s=0) == 100


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_has_an_account_while_it_is_inside_and_its_own_budget_again_afterwards(mode):
    seen = []

    async def inside(call):
        seen.append(call.budget)
        return OK

    call = Call(id="c")
    assert await RetryBudget(mode=mode).run(call, inside) is OK
    assert seen != [UNLIMITED]
    assert call.budget is UNLIMITED


@pytest.mark.parametrize(
    ("outcome", "tokens"),
    [
        (OK, 8.1),
        (Outcome(kind=Kind.SLOW), 8.1),
        (FAILED, 7.0),
        (BUSY, 7.0),
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), 7.0),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), 8.0),
        (Outcome(kind=Kind.ERROR, status=400), 8.0),
        (Outcome(kind=Kind.ABANDONED), 8.0),
    ],
)
async def test_a_budget_learns_from_endings_what_the_table_says(outcome, tokens):
    async def end(attempt):
        return outcome

    budget = RetryBudget(mode="grpc")
    assert isinstance(budget.rule, GrpcBudget)
    budget.rule.tokens = 8.0
    await in_front_of(end, budget).run(Call(id="c"))
    assert budget.rule.tokens == pytest.approx(tokens)


async def test_a_retry_after_an_overload_costs_what_overload_costs():
    async def busy(attempt):
        return BUSY

    budget = RetryBudget(mode="aws")
    assert isinstance(budget.rule, AwsBudget)
    await in_front_of(busy, budget, Retry()).run(Call(id="c"))
    assert budget.rule.left == 495


async def test_a_cancelled_call_gives_its_places_back():
    async def hang(attempt):
        if attempt.number == 1:
            return FAILED
        return await asyncio.sleep(100, OK)

    budget = RetryBudget(mode="envoy")
    bound = in_front_of(hang, budget, Retry(initial_s=0))
    tasks = [asyncio.create_task(bound.run(Call(id="c"))) for _ in range(3)]
    await asyncio.sleep(1)
    assert (budget.rule.calls, budget.rule.retries) == (3, 3)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert (budget.rule.calls, budget.rule.retries) == (0, 0)


async def test_a_refused_retry_is_not_waited_for():
    budget = RetryBudget(ratio=0, min_per_sec=0)
    outcome = await in_front_of(fail, budget, Retry(initial_s=5, jitter="off")).run(Call(id="c"))
    assert (outcome, asyncio.get_running_loop().time()) == (FAILED, 0.1)


async def test_a_retry_that_would_come_after_the_deadline_is_not_paid_for():
    budget = RetryBudget(mode="aws")
    layers = Deadline(total_s=1), budget, Retry(initial_s=5, jitter="off")
    await Pipeline(layers=layers).over(WORKERS, fail).run(Call(id="c"))
    assert budget.rule.left == 500


def test_a_retry_with_a_budget_brings_one_and_a_second_is_refused():
    layers = assemble(parse("retry(max_attempts=2, budget=0.1)")).layers
    assert [layer.name for layer in layers] == ["retry_budget", "retry"]
    assert layers[0] == RetryBudget(ratio=0.1)
    with pytest.raises(ValueError, match="brings a retry_budget along, but there is one"):
        assemble(parse("retry_budget() | retry(budget=0.1)"))


@pytest.mark.parametrize("name", ["retry", "hedge"])
def test_more_than_a_budget_can_have_is_refused_under_the_name_that_was_written(name):
    with pytest.raises(ValueError, match=rf"^{name}: budget_ratio must be .* at most 1000, got 1001$"):
        assemble(parse(f"{name}(budget=1001)"))


def test_an_unknown_mode_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="mode must be one of finagle, envoy, grpc, aws, got"):
        RetryBudget(mode="netflix")
