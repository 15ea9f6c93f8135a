"""The main question: one worker computes ten times slower and goes on taking requests.

Whoever waits for it holds a slot in every tier above. Without a bound the slots run out, and local requests
and tenants that can never reach the worker wait too. The libraries that most people deploy see no failure
here and so do nothing: every call is answered, only late.
"""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import Verdict
from harness.scenario import Scenario

SCENARIO = Scenario(
    name="slow_worker",
    meaning="one worker computes 10 times slower and holds the slots of whoever waits for it",
    fault=SlowSteps(factor=10),
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
