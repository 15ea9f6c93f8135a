"""One worker stands still for seconds at a time and is as fast as ever in between: a stop of the world.

Nineteen of twenty tokens come as quickly as from its peers, and yet no answer is in time, since each meets a
stall. Whoever bounds a wait, looks at attempts in flight, or goes where fewer wait is spared; a bound of ten
seconds and more never fires, for every stall ends before it.
Source: Xinda (NSDI 2025): a slow fault hides in the figures of the time between, and static bounds miss it.
"""

from faults.engine.periodic_stall import PeriodicStall
from harness.judging.verdict import Verdict
from harness.scenario import Phases, Scenario, Tier, Topology

SCENARIO = Scenario(
    name="stalled_worker",
    meaning="one worker stands still for 4.75 of every 5 s and is as fast as ever in between",
    fault=PeriodicStall(stall_s=4.75, every_s=5),
    topology=Topology(services=(Tier(name="front", slots=44), Tier(name="api", slots=32))),
    phases=Phases(fault_s=25),
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
