from bench.climb import FACTOR, FIRST_RPS, MAX_LAG_S, TRIES, Step, climb

ON_TIME_S, LATE_S, LATER_S = MAX_LAG_S / 5, MAX_LAG_S, MAX_LAG_S * 2


async def climb_with(*lags_s: float) -> tuple[list[float], list[Step]]:
    """The rates that were tried, and the steps, when the tries have these lags one after the other."""
    tried: list[float] = []

    async def try_rate(rate_rps: float) -> Step:
        tried.append(rate_rps)
        return Step(rate_rps, lags_s[len(tried) - 1], client_cpu_ratio=0.1, server_cpu_ratio=0.1)

    return tried, [step async for step in climb(try_rate)]


async def test_the_rate_goes_up_until_no_try_holds_it() -> None:
    tried, steps = await climb_with(ON_TIME_S, ON_TIME_S, *[LATE_S] * TRIES)
    assert [step.rate_rps for step in steps] == [FIRST_RPS, FIRST_RPS * FACTOR, FIRST_RPS * FACTOR**2]
    assert [step.held for step in steps] == [True, True, False]
    assert len(tried) == 2 + TRIES


async def test_one_disturbed_try_does_not_end_the_climb() -> None:
    tried, steps = await climb_with(LATE_S, ON_TIME_S, *[LATE_S] * TRIES)
    assert [step.held for step in steps] == [True, False]
    assert tried[:3] == [FIRST_RPS, FIRST_RPS, FIRST_RPS * FACTOR]


async def test_a_rate_is_reported_with_its_best_try() -> None:
    _, steps = await climb_with(LATER_S, LATE_S, *[LATER_S] * (TRIES - 2))
    assert [step.lag_p99_s for step in steps] == [LATE_S]
