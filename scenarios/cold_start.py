"""A worker that was started again is slow until it is warm: kernels to compile, caches to fill.

It looks idle, so whoever counts requests in flight sends it more than it can do. Whoever leaves it alone must
come back to it once it is as fast as its peers (defilantech/LLMKube#453: left out for ever).
"""

from dataclasses import replace

from faults.engine.slow_steps import SlowSteps
from faults.shape import Ramp
from harness.judging.verdict import Verdict
from harness.scenario import DEFAULT_CALLERS, Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="cold_start",
    meaning="a worker that was started again is 10 times slower for 21 s and warm 6 s later",
    fault=SlowSteps(factor=10, shape=Ramp(rise_s=0, hold_s=21, fall_s=6)),
    topology=Topology(services=(Tier(name="front", slots=40), Tier(name="api", slots=32))),
    callers=(replace(DEFAULT_CALLERS[0], rate_rps=20), *DEFAULT_CALLERS[1:]),
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
