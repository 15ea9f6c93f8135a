"""Nothing is wrong. Every preset must leave it alone: a policy that acts here is a false alarm."""

from harness.judging.verdict import Verdict
from harness.scenario import Scenario

SCENARIO = Scenario(
    name="healthy",
    meaning="no fault: every preset must pass, which guards against false alarms",
    fault=None,
    expects={
        "none": Verdict.PASS,
        "timeout": Verdict.PASS,
        "libraries": Verdict.PASS,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.PASS,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.PASS,
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.PASS,
        "openai_client_defaults": Verdict.PASS,
    },
)
