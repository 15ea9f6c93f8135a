"""A worker that was started again is slow until it is warm: kernels to compile, caches to fill.

It looks idle, so whoever counts requests in flight sends it more than it can do. Whoever leaves it alone must
come back to it once it is as fast as its peers (defilantech/LLMKube#453: left out for ever).
"""

from faults.engine.slow_steps import SlowSteps
from faults.shape import Ramp
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario

SCENARIO = Scenario(
    name="cold_start",
    meaning="a worker that was started again is 10 times slower for 21 s and warm 6 s later",
    fault=SlowSteps(factor=10, shape=Ramp(rise_s=0, hold_s=21, fall_s=6)),
    phases=Phases(fault_s=33),
    expects={
        "none": Verdict.FAIL,
        "timeout": Verdict.PASS,
        "libraries": Verdict.FAIL,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.FAIL,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.FAIL,
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.FAIL,
        "openai_client_defaults": Verdict.FAIL,
    },
)
