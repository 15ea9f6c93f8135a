"""Gray failure: one worker is slow, its health is good, and its metrics say what they said before.

Who calls it suffers and who watches it sees nothing. No preset asks for health or metrics, so they stand here
as under `slow_worker`; a picker that goes by what workers report (`hcl()`) contains a slow worker that tells
the truth and spreads this one.
Source: Huang et al., "Gray Failure" (HotOS 2017); gonka-ai/gonka#1421: a hang passes the probe.
"""

from faults.engine.slow_unseen import SlowUnseen
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="gray_health",
    meaning="one worker computes 20 times slower; its health is good, its metrics are those of before",
    fault=SlowUnseen(factor=20),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    phases=Phases(fault_s=24),
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
