"""From one rate to the next until one does not hold."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

FIRST_RPS = 100.0  # 300 samples a step, the fewest that a p99 is taken of
FACTOR = 1.25
TRIES = 4  # a rate counts as held if one try holds it: what disturbs the machine can only make it later
MAX_LAG_S = 0.005


@dataclass(frozen=True, slots=True)
class Step:
    """One rate, tried once. CPU shares are of one core each."""

    rate_rps: float
    lag_p99_s: float
    client_cpu_ratio: float
    server_cpu_ratio: float

    @property
    def held(self) -> bool:
        return self.lag_p99_s < MAX_LAG_S


async def climb(try_rate: Callable[[float], Awaitable[Step]]) -> AsyncGenerator[Step, None]:
    """The best try of each rate from `FIRST_RPS` upwards; the last one is the first that was not held."""
    rate_rps = FIRST_RPS
    while True:
        best = await try_rate(rate_rps)
        for _ in range(TRIES - 1):
            if not best.held:
                best = min(best, await try_rate(rate_rps), key=lambda step: step.lag_p99_s)
        yield best
        if not best.held:
            return
        rate_rps *= FACTOR
