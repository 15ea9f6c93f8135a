"""Pipelines sized for the built-in workers, and the numbers they are built with.

The numbers are for workers like the built-in ones: 8 seats, one step of 0.03 s, answers of 16 tokens, 5
requests/s per worker. Healthy, a first token takes 0.03 to 0.1 s, a token 0.03 s, an answer 0.5 to 0.6 s, and
about 3 attempts are in flight per worker. A worker ten times slower makes a step in 0.3 s.
"""

from policies.presets.preset import Preset

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

TIMEOUT = (
    f"timeout(connect={CONNECT_S:g}, ttft={FIRST_TOKEN_S:g}, itl={BETWEEN_TOKENS_S:g},"
    f" attempt={ATTEMPT_S:g}, total=inf)"
)
BREAKER = (
    f"breaker_window(window={WINDOW_S:g}, min_calls={MIN_CALLS}, open={OPEN_S:g}, max_open={MAX_OPEN_S:g},"
    f" slow_ttft={SLOW_FIRST_TOKEN_S:g}, slow_tpot={SLOW_BETWEEN_TOKENS_S:g},"
    f" half_open_lease={ATTEMPT_S:g})"
)
LIBRARIES = (
    f"timeout(connect=inf, ttft=inf, itl=inf, attempt={CLIENT_TOTAL_S:g}, total=inf)"
    f" | retry(max_attempts={CLIENT_ATTEMPTS}, initial={CLIENT_BACKOFF_S:g}, max={CLIENT_MAX_BACKOFF_S:g},"
    " other_worker=false) | breaker_pybreaker(scope=service) | round_robin()"
)


def _shed(workers: int) -> str:
    return (
        f"shed_queue_length(max_concurrent={MAX_CONCURRENT_EACH * workers},"
        f" max_queue={MAX_QUEUE_EACH * workers})"
    )


SIZED = (
    Preset("none", "round robin and nothing else", "the control", lambda _: "round_robin()"),
    Preset(
        "timeout",
        "bounds on connecting, first token, gaps and attempt",
        "sized for the built-in workers",
        lambda _: f"{TIMEOUT} | round_robin()",
    ),
    Preset(
        "libraries",
        "pybreaker and tenacity as most services deploy them, client timeout 300 s",
        "defaults of pybreaker, tenacity and aiohttp",
        lambda _: LIBRARIES,
    ),
    Preset(
        "timeout_breaker",
        "timeout, and a breaker per worker that knows slow calls",
        "sized for the built-in workers",
        lambda _: f"{TIMEOUT} | {BREAKER} | round_robin()",
    ),
    Preset(
        "timeout_breaker_shed",
        "timeout_breaker, a cap per worker, and a bounded line before the pool",
        "sized for the built-in workers",
        lambda workers: (
            f"{TIMEOUT} | {_shed(workers)} | {BREAKER} | bulkhead({MAX_IN_FLIGHT}) | round_robin()"
        ),
    ),
)
