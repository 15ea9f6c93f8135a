"""The network to one worker is slow, the worker is not: answers arrive seconds late.

Slots upstream are held as with a slow worker, but the worker's own batch stays short and its gauges look
idle. A delay proxy is not a slow GPU.
"""

from faults.link.link_latency import LinkLatency
from harness.judging.verdict import Verdict
from harness.scenario import Scenario

SCENARIO = Scenario(
    name="slow_link",
    meaning="answers of one worker arrive 6 s late; the worker itself is as fast as ever",
    fault=LinkLatency(latency_s=6),
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
