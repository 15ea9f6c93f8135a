"""Readers hang up after half a second, and one worker computes their long answers to the end for nobody.

Nobody tells it that a caller has left (ggml-org/llama.cpp#24496): it has five times the work of its peers and
looks like any of them, for each step is as fast as ever. Whoever stays waits behind dead work, in a slot.
"""

from faults.worker.ignored_cancellation import IgnoredCancellation
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="cancelled_work",
    meaning="callers hang up after half a second, and one worker computes their long answers to the end",
    fault=IgnoredCancellation(),
    topology=Topology(services=(Tier(name="front", slots=52), Tier(name="api", slots=44))),
    callers=(
        Caller(name="chat", enters="front", rate_rps=16, max_tokens=16),
        Caller(name="reader", enters="front", rate_rps=12, max_tokens=160, leaves_after_s=0.5),
        Caller(name="tenant", enters="front", rate_rps=4, max_tokens=16, avoids_fault=True),
        Caller(name="local_front", enters="front", rate_rps=40),
        Caller(name="local_api", enters="api", rate_rps=40),
    ),
    phases=Phases(fault_s=28),
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
