"""Every worker fails every request at once: retries cannot help, and they make three requests of one.

A failure alone holds no slot, so without retries nobody else notices. Whoever tries again waits in its slot
for the next attempt, until the slots are gone and local requests stand in line for nothing. After
awsl-project/maxx#833, where one request became 517. A budget stops it, and so does a breaker that opens soon.
"""

from faults.worker.instant_error import InstantError
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Phases, Scenario

SCENARIO = Scenario(
    name="retry_storm",
    meaning="every worker fails at once, and whoever tries again and again holds its slot meanwhile",
    fault=InstantError(status=500),
    faulted_workers=(0, 1, 2, 3),
    callers=(
        Caller(name="chat", enters="front", rate_rps=28, max_tokens=16),
        Caller(name="local_front", enters="front", rate_rps=40),
        Caller(name="local_api", enters="api", rate_rps=40),
    ),
    phases=Phases(baseline_s=20, fault_s=12),
    expects={
        "none": Verdict.PASS,
        "timeout": Verdict.PASS,
        "libraries": Verdict.PASS,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.PASS,
        "resilience4j_defaults": Verdict.FAIL,  # its breakers need half of all calls in 100 s to fail
        "polly_standard": Verdict.FAIL,  # its pauses grow from 2 s
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.PASS,
        "openai_client_defaults": Verdict.FAIL,
    },
)
