"""So many requests or tokens a second, and a date for whoever is refused."""

import asyncio

import pytest

from policies.assembly import assemble
from policies.call import Call
from policies.notation import parse
from policies.outcome import OK, Kind
from policies.throttles.rate_limit import RateLimit


async def answer(call):
    return OK


async def kinds(layer, *callers, **call):
    return [(await layer.run(Call(id="c", caller=caller, **call), answer)).kind for caller in callers]


async def test_beyond_the_burst_a_call_is_refused_with_the_time_until_it_fits():
    limit = RateLimit(rate_per_s=0.5, burst=2)
    assert await kinds(limit, "a", "a") == [Kind.OK] * 2
    refused = await limit.run(Call(id="c", caller="a"), answer)
    assert (refused.kind, refused.phase, refused.by) == (Kind.REJECTED, "admission", "rate_limit")
    assert (refused.status, refused.retry_after_s) == (429, 2.0)
    await asyncio.sleep(refused.retry_after_s)
    assert await kinds(limit, "a", "a") == [Kind.OK, Kind.REJECTED]


async def test_one_greedy_caller_takes_nothing_from_the_others():
    limit = RateLimit(rate_per_s=1, burst=1)
    assert await kinds(limit, "a", "a", "b", "a") == [Kind.OK, Kind.REJECTED, Kind.OK, Kind.REJECTED]


async def test_a_bucket_for_all_is_shared():
    limit = RateLimit(rate_per_s=1, burst=2, key="all")
    assert await kinds(limit, "a", "b", "c") == [Kind.OK, Kind.OK, Kind.REJECTED]


async def test_by_tokens_a_call_costs_its_prompt_and_the_most_it_may_answer():
    limit = RateLimit(rate_per_s=10, burst=100, cost="tokens")
    assert await kinds(limit, "a", prompt_tokens=30, max_tokens=60) == [Kind.OK]
    refused = await limit.run(Call(id="c", caller="a", prompt_tokens=10, max_tokens=20), answer)
    assert refused.retry_after_s == pytest.approx(2.0)
    assert await kinds(limit, "a", prompt_tokens=1, max_tokens=9) == [Kind.OK]


async def test_a_request_larger_than_the_burst_is_told_that_it_can_never_pass():
    limit = RateLimit(rate_per_s=10, burst=1000, cost="tokens")
    refused = await limit.run(Call(id="c", prompt_tokens=9000, max_tokens=1), answer)
    assert refused.cause == "9,001 tokens are more than the burst of 1,000: it can never pass"
    assert (refused.status, refused.retry_after_s) == (429, None)
    assert await kinds(limit, "", prompt_tokens=999, max_tokens=1) == [Kind.OK]


async def test_what_was_refused_costs_nothing():
    limit = RateLimit(rate_per_s=1, burst=1)
    assert await kinds(limit, *"a" * 50) == [Kind.OK] + [Kind.REJECTED] * 49
    await asyncio.sleep(1.0)
    assert await kinds(limit, "a") == [Kind.OK]


async def test_several_limits_hold_at_once():
    text = "rate_limit(100, 100, cost=tokens) | rate_limit(rate_per=10, burst=3, key=all)"
    limits = assemble(parse(text)).layers
    assert [limit.cost for limit in limits] == ["tokens", "request"]


@pytest.mark.parametrize("parameter", ["key", "cost"])
def test_an_unknown_word_is_refused_with_those_that_are_known(parameter):
    with pytest.raises(ValueError, match=f"^rate_limit: {parameter} must be one of .*, got 'worker'$"):
        RateLimit(**{parameter: "worker"})


def test_a_rate_that_floats_cannot_calculate_with_is_refused_instead_of_letting_all_through():
    with pytest.raises(ValueError, match=r"^rate_limit: rate_per_s must be .* at least 1e-06"):
        RateLimit(rate_per_s=1e-308)
