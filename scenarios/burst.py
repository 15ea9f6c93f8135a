"""Four times the load for some seconds, and no fault: queues grow at every worker and none is to blame.

The control has the same burst: there is pressure, and nothing has spread. Whoever takes a worker out here
punishes one for what all have, as breakers with a bound in seconds do; who compares peers does not. After
ray-project/ray#54070, where a busy engine that answered its probes late was taken for a dead one.
"""

from dataclasses import replace

from harness.judging.verdict import Verdict
from harness.scenario import DEFAULT_CALLERS, Burst, Scenario, Tier, Topology

CHAT, *OTHERS = DEFAULT_CALLERS

SCENARIO = Scenario(
    name="burst",
    meaning="no fault: for 6 s four times as many requests; the control has them too, so nothing spreads",
    fault=None,
    topology=Topology(services=(Tier(name="front", slots=160), Tier(name="api", slots=128))),
    callers=(replace(CHAT, burst=Burst(rate_rps=60, length_s=6, after_s=3)), *OTHERS),
    expects={
        "none": Verdict.PASS,
        "timeout": Verdict.PASS,
        "libraries": Verdict.PASS,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.PASS,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.PASS,
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.PASS,
        "openai_client_defaults": Verdict.PASS,
    },
)
