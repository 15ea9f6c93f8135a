"""Prompts go to the workers that hold their cached keys, and the owner of the most wanted one is slow.

Affinity asks for the slow worker again and again (sgl-project/sglang#14532). Each prompt has two owners, by
rendezvous hashing, so there is a place to go: a picker that knows load, or a gate, gives the prompt to its
other owner. What a miss of the cache costs is not in it: workers keep no keys from one request to the next.
"""

from dataclasses import replace

from faults.engine.slow_steps import SlowSteps
from harness.binding import hottest_owner
from harness.judging.verdict import Verdict
from harness.scenario import DEFAULT_CALLERS, Scenario, Tier, Topology

TOPOLOGY = Topology(services=(Tier(name="front", slots=40), Tier(name="api", slots=32)))
CHAT = replace(DEFAULT_CALLERS[0], rate_rps=20, distinct_prompts=12, cache_owners=2)

SCENARIO = Scenario(
    name="cache_owner_slow",
    meaning="prompts go to one of their two owners; the owner of the most wanted one is 10 times slower",
    fault=SlowSteps(factor=10),
    faulted_workers=(hottest_owner(CHAT, TOPOLOGY.workers),),
    topology=TOPOLOGY,
    callers=(CHAT, *DEFAULT_CALLERS[1:]),
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
