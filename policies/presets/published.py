"""What comes out of the box: the documented defaults of libraries and proxies, with policies of ours.

Each is as close as our policies come; what differs is said beside it. The numbers are the sources' own.
"""

from policies.presets.preset import Preset

# Route timeout 15 s and connect timeout 5 s, round robin, caps of 1024 for the whole cluster, no retries
# unless asked for, and `outlier_detection: {}`: 10 % of the workers at most, so none of a pool of less than
# ten.
ENVOY = (
    "timeout(connect=5, ttft=inf, itl=inf, total=15)"
    " | outlier_errors(consecutive_5xx=5, interval=10, base_ejection=30, max_ejection_s=300,"
    " max_ejection_ratio=0.1, always_eject_one=false, canary_s=0)"
    " | bulkhead(1024, client_cap=1024) | round_robin()"
)
# Retry(CircuitBreaker(TimeLimiter(Bulkhead))). Its window of 100 calls is one of 100 s here, and its breaker,
# often one for the whole service, is one for each worker. A call is slow from 60 s on, and 100 % must be.
RESILIENCE4J = (
    "timeout(connect=inf, ttft=inf, itl=inf, attempt=1, total=inf)"
    " | retry(max_attempts=3, initial=0.5, multiplier=1, max=0.5, jitter=off, other_worker=false)"
    " | breaker_window(window=100, min_calls=100, failure_ratio=0.5, slow_ratio=1, combined=false, open=60,"
    " max_open=60, jitter_ratio=0, half_open_permits=10, slow_ttft=60, slow_tpot=inf, count_in_flight=false,"
    " half_open_lease=3600)"
    " | bulkhead(25) | round_robin()"
)
# Microsoft's standard handler: limiter of 1000 without a line, total 30 s, 3 retries from 2 s, breaker at 10
# % of at least 100 in 30 s, attempt 10 s. Our total stands before the limiter, which nobody can notice
# without a line.
POLLY = (
    "timeout(connect=inf, ttft=inf, itl=inf, attempt=10, total=30)"
    " | shed_queue_length(max_concurrent=1000, max_queue=0)"
    " | retry(max_attempts=4, initial=2, multiplier=2, max=30, jitter=decorrelated, other_worker=false)"
    " | breaker_window(window=30, min_calls=100, failure_ratio=0.1, slow_ratio=1, combined=false, open=5,"
    " max_open=5, jitter_ratio=0, slow_ttft=inf, slow_tpot=inf, count_in_flight=false, half_open_lease=3600)"
    " | round_robin()"
)
# No timeout. The budget of 20 % and 10 free retries a second; failure accrual after 5 in a row for 5 to 300
# s; two choices by load. Finagle has more than one retry and probes before a worker comes back.
FINAGLE = (
    "retry_budget(mode=finagle, ratio=0.2, min_per_sec=10, ttl=10) | retry(max_attempts=2, initial=0)"
    " | outlier_errors(consecutive_5xx=5, base_ejection=5, max_ejection_s=300, jitter_ratio=0.5,"
    " max_ejection_ratio=1, min_healthy_ratio=0, canary_s=0)"
    " | least_request(2)"
)
# No deadline. Round robin, since the default, pick_first, sends everything to one worker. The retry policy
# and the throttle are the example of proposal A6: without one there are no retries.
GRPC = (
    "retry_budget(mode=grpc, max_tokens=10, token_ratio=0.1)"
    " | retry(max_attempts=4, initial=0.1, multiplier=2, max=1, other_worker=false) | round_robin()"
)
# Timeout 600 s for each read of bytes, connect 5 s, 2 retries from 0.5 to 8 s. Its jitter takes off up to a
# quarter, `equal` up to half.
OPENAI = (
    "timeout(connect=5, ttft=600, itl=600, content_only=false, total=inf)"
    " | retry(max_attempts=3, initial=0.5, multiplier=2, max=8, jitter=equal, other_worker=false)"
    " | round_robin()"
)

PUBLISHED = (
    Preset(
        "envoy_defaults",
        "15 s for a route, caps of 1024, outlier detection by errors: none knows slowness",
        "Envoy: route, circuit breakers, outlier_detection: {}",
        lambda _: ENVOY,
    ),
    Preset(
        "resilience4j_defaults",
        "3 attempts of 1 s, a breaker after 100 calls, 25 at once",
        "resilience4j: Retry, CircuitBreaker, TimeLimiter, Bulkhead",
        lambda _: RESILIENCE4J,
    ),
    Preset(
        "polly_standard",
        "30 s in all, 4 attempts of 10 s, a breaker at 10 % failures of 100 calls in 30 s",
        "Microsoft.Extensions.Http.Resilience, standard handler (Polly 8)",
        lambda _: POLLY,
    ),
    Preset(
        "finagle_defaults",
        "no timeout, a retry budget of 20 %, failure accrual, two choices by load",
        "Finagle: RetryBudget, FailureAccrualFactory, P2C",
        lambda _: FINAGLE,
    ),
    Preset(
        "grpc_defaults",
        "no deadline, round robin, retries under a throttle",
        "gRPC proposal A6, with its example of a service config",
        lambda _: GRPC,
    ),
    Preset(
        "openai_client_defaults",
        "600 s of silence, 3 attempts",
        "openai-python: DEFAULT_TIMEOUT, DEFAULT_MAX_RETRIES",
        lambda _: OPENAI,
    ),
)
