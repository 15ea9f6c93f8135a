"""Pipelines with a name, the ones that reports compare, and the numbers they are built with.

The numbers are for workers like the built-in ones: 8 seats, one step of 0.03 s, answers of 16 tokens, 5
requests/s per worker. Healthy, a first token takes 0.03 to 0.1 s, a token 0.03 s, an answer 0.5 to 0.6 s, and
about 3 attempts are in flight per worker. A worker ten times slower makes a step in 0.3 s.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from policies.breaker_pybreaker import BreakerPybreaker
from policies.breaker_window import BreakerWindow
from policies.bulkhead import Bulkhead
from policies.pipeline import Pipeline
from policies.retry import Retry
from policies.round_robin import RoundRobin
from policies.shed_queue_length import ShedQueueLength
from policies.timers import Timers

# Loopback connects within milliseconds; this is the usual bound for a connection that is refused or lost.
CONNECT_S = 2.0
# Ten times the slowest healthy first token and thirty times the healthy gap: never fires on a healthy worker.
FIRST_TOKEN_S = 1.0
BETWEEN_TOKENS_S = 1.0
# Three to four times a healthy answer; under half of the 4.8 s that a ten times slower worker needs for one.
ATTEMPT_S = 2.0

# Geometric middle between healthy (0.03 to 0.1 s, 0.03 s) and ten times slower (0.3 s and more, 0.3 s), so
# that a stretch by four goes unnoticed, a stretch by five does not, and a busy machine cannot open a breaker.
SLOW_FIRST_TOKEN_S = 0.5
SLOW_BETWEEN_TOKENS_S = 0.12
# At 5 requests/s a worker has 20 endings in the window: enough for a share, and few enough that the good ones
# from before the fault are outweighed within seconds.
WINDOW_S = 4.0
MIN_CALLS = 5
# Probe soon and often: a probe costs one caller at most ATTEMPT_S, a healed worker left out costs a quarter
# of the pool.
OPEN_S = 5.0
MAX_OPEN_S = 10.0

# A worker's seats: what we send never waits inside a worker. With one worker of four out the others hold
# about 3.5 to 4 each, and 24 places for 11 in all are short less than once in a thousand calls.
MAX_IN_FLIGHT = 8
# All seats of the pool at once, and a line that clears in a quarter of a second at 14 answers/s a worker.
MAX_CONCURRENT_EACH = 8
MAX_QUEUE_EACH = 4

# What the defaults of the libraries and of common HTTP clients come to when put together.
CLIENT_TOTAL_S = 300.0
CLIENT_ATTEMPTS = 3
CLIENT_BACKOFF_S = 1.0
CLIENT_MAX_BACKOFF_S = 60.0


@dataclass(frozen=True, slots=True)
class Preset:
    """A pipeline that can be built afresh for every run, since its state is its run's."""

    name: str
    meaning: str
    build: Callable[[int, int], Pipeline]  # takes the seed of the run and the number of workers


def _timers() -> Timers:
    return Timers(
        connect_s=CONNECT_S,
        first_token_s=FIRST_TOKEN_S,
        between_tokens_s=BETWEEN_TOKENS_S,
        attempt_s=ATTEMPT_S,
    )


def _breaker(seed: int) -> BreakerWindow:
    return BreakerWindow(
        window_s=WINDOW_S,
        min_calls=MIN_CALLS,
        open_s=OPEN_S,
        max_open_s=MAX_OPEN_S,
        slow_first_token_s=SLOW_FIRST_TOKEN_S,
        slow_between_tokens_s=SLOW_BETWEEN_TOKENS_S,
        half_open_lease_s=ATTEMPT_S,
        rng=random.Random(f"{seed} breaker"),
    )


def _none(_seed: int, _workers: int) -> Pipeline:
    return Pipeline(picker=RoundRobin())


def _timeout(_seed: int, _workers: int) -> Pipeline:
    return Pipeline(picker=RoundRobin(), timers=_timers())


def _libraries(_seed: int, _workers: int) -> Pipeline:
    retry = Retry(
        max_attempts=CLIENT_ATTEMPTS,
        initial_s=CLIENT_BACKOFF_S,
        max_s=CLIENT_MAX_BACKOFF_S,
        other_worker=False,
    )
    return Pipeline(
        layers=(retry,),
        gates=(BreakerPybreaker(scope="service"),),
        picker=RoundRobin(),
        timers=Timers(attempt_s=CLIENT_TOTAL_S),
    )


def _timeout_breaker(seed: int, _workers: int) -> Pipeline:
    return Pipeline(gates=(_breaker(seed),), picker=RoundRobin(), timers=_timers())


def _timeout_breaker_shed(seed: int, workers: int) -> Pipeline:
    return Pipeline(
        layers=(
            ShedQueueLength(max_concurrent=MAX_CONCURRENT_EACH * workers, max_queue=MAX_QUEUE_EACH * workers),
        ),
        gates=(_breaker(seed), Bulkhead(max_in_flight=MAX_IN_FLIGHT)),
        picker=RoundRobin(),
        timers=_timers(),
    )


_ALL = (
    Preset("none", "round robin and nothing else", _none),
    Preset("timeout", "bounds on connecting, first token, gaps and attempt", _timeout),
    Preset(
        "libraries", "pybreaker and tenacity as most services deploy them, client timeout 300 s", _libraries
    ),
    Preset("timeout_breaker", "timeout, and a breaker per worker that knows slow calls", _timeout_breaker),
    Preset(
        "timeout_breaker_shed",
        "timeout_breaker, a cap per worker, and a bounded line before the pool",
        _timeout_breaker_shed,
    ),
)

PRESETS: dict[str, Preset] = {preset.name: preset for preset in _ALL}
