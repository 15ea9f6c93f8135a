"""The contrast: the same worker is killed. Connections are refused at once, so nobody waits and no slot is
held. A share of the requests fails, the others do not notice.
"""

from faults.process.killed import Killed
from harness.judging.verdict import Verdict
from harness.scenario import Scenario

SCENARIO = Scenario(
    name="dead_worker",
    meaning="one worker is killed: its requests fail at once and hold no slot, so nobody else notices",
    fault=Killed(),
    expects={
        "none": Verdict.PASS,
        "timeout": Verdict.PASS,
        "libraries": Verdict.PASS,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.PASS,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.FAIL,  # its long pauses between retries hold slots
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.PASS,
        "openai_client_defaults": Verdict.PASS,
    },
)
