"""One worker becomes slower little by little, as one that heats up: at no moment does anything break.

The slots run out later than when it is slow at once, and run out all the same. Policies that compare workers
with each other, or hold a fixed bound, find it while it is not half as slow as it will be.
Source: thermal throttling in FALCON (arXiv 2410.12588); chaos-mesh/chaos-mesh#4535 asked for such a ramp.
"""

from faults.engine.slow_steps import SlowSteps
from faults.shape import Ramp
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="ramping_worker",
    meaning="one worker becomes 20 times slower, little by little over 10 s, and stays so",
    fault=SlowSteps(factor=20, shape=Ramp(rise_s=10)),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    phases=Phases(fault_s=34),
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
