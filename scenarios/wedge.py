"""One worker takes every request and answers none, while its health is good and its batch looks idle.

Nothing fails, so nothing that counts failures acts. A bound on waiting does, and so does going where fewer
wait.
Source: vllm-project/vllm#39863 and azrtydxb/Fastllm-proxy#19, a stuck engine behind good health, once for 85
minutes; vllm-project/production-stack#749, where the callers of healthy workers wait too.
"""

from faults.worker.wedge import Wedge
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="wedge",
    meaning="one worker takes every request and answers none; its health is good throughout",
    fault=Wedge(),
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
