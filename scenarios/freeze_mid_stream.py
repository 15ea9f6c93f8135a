"""Answers of one worker begin as quickly as ever and then stand still.

A bound on the first token sees nothing of them; a bound between tokens, or on the whole attempt, does.
Source: BerriAI/litellm#5859: no bound between the pieces of a stream, so that it hangs.
"""

from faults.engine.freeze_after_first_token import FreezeAfterFirstToken
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="freeze_mid_stream",
    meaning="answers of one worker begin as quickly as ever and stand still after their first token",
    fault=FreezeAfterFirstToken(),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    phases=Phases(fault_s=21),
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
