"""Half of the pool is slow. Choosing the less loaded of two is then no choice once in six times.

So `finagle_defaults`, which holds one slow worker by that choice alone, spreads here. What bounds the wait,
or compares all workers, still contains: the two that are left can carry the load.
Source: apache/brpc#3340: with two slow servers of four the best of two fell back to the tails of round robin.
"""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="two_of_four_slow",
    meaning="two of four workers compute 40 times slower: the less loaded of two is often slow",
    fault=SlowSteps(factor=40),
    faulted_workers=(0, 1),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    callers=(
        Caller(name="chat", enters="front", rate_rps=12, max_tokens=16),
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
        "finagle_defaults": Verdict.FAIL,  # once in six times both of its two choices are slow
        "grpc_defaults": Verdict.FAIL,
        "openai_client_defaults": Verdict.FAIL,
    },
)
