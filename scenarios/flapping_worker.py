"""One worker is slow and well by turns: a clock that is cut and let go, a neighbour that comes and goes.

While it is well it passes every probe, so that whoever took it out brings it back and is bitten again.
Source: Gunawi et al., "Fail-Slow at Scale" (FAST 2018), faults that come and go; BerriAI/litellm#40130 on
cooldowns that do not grow.
"""

from faults.engine.slow_steps import SlowSteps
from faults.shape import Flapping
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="flapping_worker",
    meaning="one worker computes 20 times slower for 10 s, as fast as ever for 5 s, and so on",
    fault=SlowSteps(factor=20, shape=Flapping(on_s=10, off_s=5)),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    phases=Phases(fault_s=40),
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
