"""Each fault at three magnitudes, or at the only one that it has. What must be seen of each is its effect."""

from faults.engine.slow_steps import SlowSteps
from faults.fault import Fault
from faults.link.link_latency import LinkLatency
from faults.process.killed import Killed

CASES: dict[str, tuple[Fault, ...]] = {
    "slow_steps": (SlowSteps(factor=1.5), SlowSteps(factor=4), SlowSteps(factor=20)),
    "link_latency": (LinkLatency(latency_s=0.2), LinkLatency(latency_s=0.5), LinkLatency(latency_s=2)),
    "killed": (Killed(),),
}

# Where one of the three has to stand for all in a real run: long enough to be seen, soon over.
REAL: dict[str, int] = {"slow_steps": 1, "link_latency": 0}

# How far from what was asked the measured effect may lie, as a share of it, where 5 % is not to be had.
TOLERANCE_RATIO: dict[str, float] = {}
