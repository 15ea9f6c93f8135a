from collections.abc import Iterator

from bench.send_lag import FACTOR, FIRST_RPS, MAX_LAG_S, Step, climb

ON_TIME_S, LATE_S, LATER_S = MAX_LAG_S / 5, MAX_LAG_S, MAX_LAG_S * 2


async def climb_with(*lags_s: float) -> tuple[list[float], list[Step]]:
    """The rates that were tried, and the steps, when the tries have these lags one after the other."""
    tried: list[float] = []
    lags: Iterator[float] = iter(lags_s)

    async def try_rate(rate_rps: float) -> Step:
        tried.append(rate_rps)
        return Step(rate_rps, next(lags), client_cpu_ratio=0.1, server_cpu_ratio=0.1)

    steps = [step async for step in climb(try_rate)]
    return tried, steps


async def test_the_rate_goes_up_until_one_is_not_held() -> None:
    tried, steps = await climb_with(ON_TIME_S, ON_TIME_S, LATE_S, LATE_S, LATE_S)
    assert [step.rate_rps for step in steps] == [FIRST_RPS, FIRST_RPS * FACTOR, FIRST_RPS * FACTOR**2]
    assert [step.held for step in steps] == [True, True, False]
    assert len(tried) == 5


async def test_one_disturbed_try_does_not_end_the_climb() -> None:
    tried, steps = await climb_with(LATE_S, ON_TIME_S, LATE_S, LATE_S, LATE_S)
    assert [step.held for step in steps] == [True, False]
    assert tried[:2] == [FIRST_RPS, FIRST_RPS]


async def test_a_rate_is_reported_with_its_best_try() -> None:
    _, steps = await climb_with(LATER_S, LATE_S, LATER_S)
    assert [step.lag_p99_s for step in steps] == [LATE_S]
