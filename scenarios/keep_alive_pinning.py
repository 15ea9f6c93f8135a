"""A busy client keeps its connections open, and all of them lead to the slow worker: no picker can move it.

Behind a balancer that chooses once for each connection the client stays where it is
(defilantech/LLMKube#1812). Choosing by load saves the others and not the slots that this client holds, so
what stops the spread is to wait less long or to refuse: it loses its answers either way, nobody else does.
"""

from faults.engine.slow_steps import SlowSteps
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="keep_alive_pinning",
    meaning="all connections of one client lead to the worker that is 10 times slower: no picker can move it",
    fault=SlowSteps(factor=10),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=36))),
    callers=(
        Caller(name="chat", enters="front", rate_rps=12, max_tokens=16),
        Caller(name="pinned", enters="front", rate_rps=4, max_tokens=16, pinned_to=0),
        Caller(name="tenant", enters="front", rate_rps=4, max_tokens=16, avoids_fault=True),
        Caller(name="local_front", enters="front", rate_rps=40),
        Caller(name="local_api", enters="api", rate_rps=40),
    ),
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
        "finagle_defaults": Verdict.FAIL,  # moves whom it can, and has no bound on waiting for the rest
        "grpc_defaults": Verdict.FAIL,
        "openai_client_defaults": Verdict.FAIL,
    },
)
