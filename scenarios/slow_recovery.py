"""The fault ends and the system does not come back: retries of dead requests keep it busy.

All workers are six times slower for a while, and nobody tells them when a caller gives up. What timed out is
computed all the same, and each of its retries too, so that three attempts for each request are more than the
healthy pool can do: metastable if and only if (1 + retries) * load > capacity (Bronson et al., HotOS 2021;
BerriAI/litellm#30192). Without a bound on waiting the overload itself spreads, and drains once the fault
ends; with bounds and no retries nothing spreads and nothing stays.
"""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="slow_recovery",
    meaning="all workers are 6 times slower for 21 s; retries of dead requests keep them overloaded after it",
    fault=SlowSteps(factor=6),
    faulted_workers=(0, 1, 2, 3),
    topology=Topology(
        services=(Tier(name="front", slots=84), Tier(name="api", slots=76)), tells_workers=False
    ),
    callers=(
        Caller(name="chat", enters="front", rate_rps=32, max_tokens=16),
        Caller(name="local_front", enters="front", rate_rps=20),
        Caller(name="local_api", enters="api", rate_rps=20),
    ),
    phases=Phases(recovery_s=30),
    expects={
        "none": Verdict.FAIL,
        "timeout": Verdict.PASS,
        "libraries": Verdict.FAIL,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.FAIL,  # where all are slow nobody is an outlier
        "envoy_defaults": Verdict.FAIL,
        "resilience4j_defaults": Verdict.FAIL,  # retries fill the slots, then breakers refuse all
        "polly_standard": Verdict.FAIL,
        "finagle_defaults": Verdict.FAIL,
        "grpc_defaults": Verdict.FAIL,
        "openai_client_defaults": Verdict.FAIL,
    },
)
