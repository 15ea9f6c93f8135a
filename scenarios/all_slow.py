"""All workers are slow: overload, and nobody is an outlier.

No choice of a worker helps, and taking one out makes it worse; nobody may be accused of being slower than the
rest. The bystanders are the local requests: whoever does not wait spares them, and that is all that can be
saved. No policy saves the answers.
Source: istio/istio#20135 and envoyproxy/envoy#3263: all slow at once, and nowhere left to go.
"""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="all_slow",
    meaning="all workers compute 10 times slower: overload and no outlier, only not waiting helps",
    fault=SlowSteps(factor=10),
    faulted_workers=(0, 1, 2, 3),
    topology=Topology(services=(Tier(name="front", slots=128), Tier(name="api", slots=96))),
    callers=(
        Caller(name="chat", enters="front", rate_rps=20, max_tokens=16),
        Caller(name="local_front", enters="front", rate_rps=40),
        Caller(name="local_api", enters="api", rate_rps=40),
    ),
    expects={
        "none": Verdict.FAIL,
        "timeout": Verdict.PASS,
        "libraries": Verdict.FAIL,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.FAIL,  # compares workers, and waits 10 s for a first token
        "envoy_defaults": Verdict.FAIL,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.FAIL,
        "finagle_defaults": Verdict.FAIL,
        "grpc_defaults": Verdict.FAIL,
        "openai_client_defaults": Verdict.FAIL,
    },
)
