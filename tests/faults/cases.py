"""Each fault at three magnitudes, or at the only one that it has. What must be seen of each is its effect."""

from faults.engine.added_per_step import AddedPerStep
from faults.engine.freeze import Freeze
from faults.engine.freeze_after_first_token import FreezeAfterFirstToken
from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_decode import SlowDecode
from faults.engine.slow_prefill import SlowPrefill
from faults.engine.slow_steps import SlowSteps
from faults.engine.slow_unseen import SlowUnseen
from faults.fault import Fault
from faults.link.link_bandwidth import LinkBandwidth
from faults.link.link_black_hole import LinkBlackHole
from faults.link.link_first_byte import LinkFirstByte
from faults.link.link_gap import LinkGap
from faults.link.link_jitter import LinkJitter
from faults.link.link_latency import LinkLatency
from faults.link.link_limit import LinkLimit
from faults.link.link_reset import LinkReset
from faults.link.link_slicer import LinkSlicer
from faults.link.link_slow_accept import LinkSlowAccept
from faults.link.link_slow_close import LinkSlowClose
from faults.link.link_stall import LinkStall
from faults.process.cpu_hog import CpuHog
from faults.process.gpu_hog import GpuHog
from faults.process.gpu_limit import GpuClockLimit, GpuPowerLimit
from faults.process.killed import Killed
from faults.process.memory_pressure import MemoryPressure
from faults.process.restarted import Restarted
from faults.process.stopped import Stopped
from faults.worker.frozen_metrics import FrozenMetrics
from faults.worker.ignored_cancellation import IgnoredCancellation
from faults.worker.instant_error import InstantError
from faults.worker.leaked_slots import LeakedSlots
from faults.worker.shrunk_batch import ShrunkBatch
from faults.worker.slow_health import SlowHealth
from faults.worker.wedge import Wedge

CASES: dict[str, tuple[Fault, ...]] = {
    "slow_steps": (SlowSteps(factor=1.5), SlowSteps(factor=4), SlowSteps(factor=20)),
    "slow_unseen": (SlowUnseen(factor=1.5), SlowUnseen(factor=4), SlowUnseen(factor=20)),
    "slow_prefill": (SlowPrefill(factor=2), SlowPrefill(factor=5), SlowPrefill(factor=10)),
    "slow_decode": (SlowDecode(factor=2), SlowDecode(factor=5), SlowDecode(factor=10)),
    "added_per_step": (AddedPerStep(added_s=0.05), AddedPerStep(added_s=0.1), AddedPerStep(added_s=0.3)),
    "periodic_stall": (
        PeriodicStall(stall_s=0.1, every_s=0.4),
        PeriodicStall(stall_s=0.5, every_s=2),
        PeriodicStall(stall_s=1, every_s=1.25),
    ),
    "freeze": (Freeze(),),
    "freeze_after_first_token": (FreezeAfterFirstToken(),),
    "wedge": (Wedge(),),
    "instant_error": (InstantError(status=500), InstantError(status=429), InstantError(status=503)),
    "leaked_slots": (LeakedSlots(slots=2), LeakedSlots(slots=5), LeakedSlots(slots=7)),
    "shrunk_batch": (ShrunkBatch(max_num_seqs=1), ShrunkBatch(max_num_seqs=3), ShrunkBatch(max_num_seqs=6)),
    "ignored_cancellation": (IgnoredCancellation(),),
    "frozen_metrics": (FrozenMetrics(),),
    "slow_health": (SlowHealth(delay_s=0.2), SlowHealth(delay_s=1), SlowHealth(delay_s=4)),
    "link_latency": (LinkLatency(latency_s=0.2), LinkLatency(latency_s=0.5), LinkLatency(latency_s=2)),
    "link_jitter": (LinkJitter(jitter_s=0.2), LinkJitter(jitter_s=0.05), LinkJitter(jitter_s=0.5)),
    "link_bandwidth": (
        LinkBandwidth(rate_kb_per_s=100),
        LinkBandwidth(rate_kb_per_s=20),
        LinkBandwidth(rate_kb_per_s=50),
    ),
    "link_slicer": (
        LinkSlicer(slice_bytes=4000, gap_s=0.05),
        LinkSlicer(slice_bytes=500, gap_s=0.02),
        LinkSlicer(slice_bytes=2000, gap_s=0.2),
    ),
    "link_gap": (LinkGap(gap_s=0.1), LinkGap(gap_s=0.3), LinkGap(gap_s=1)),
    "link_first_byte": (LinkFirstByte(delay_s=0.2), LinkFirstByte(delay_s=0.5), LinkFirstByte(delay_s=2)),
    "link_slow_accept": (LinkSlowAccept(delay_s=0.2), LinkSlowAccept(delay_s=0.5), LinkSlowAccept(delay_s=2)),
    "link_slow_close": (LinkSlowClose(delay_s=0.2), LinkSlowClose(delay_s=0.5), LinkSlowClose(delay_s=2)),
    "link_stall": (LinkStall(after_s=0.3), LinkStall(after_s=0.5), LinkStall(after_s=2)),
    "link_black_hole": tuple(LinkBlackHole(connections_ratio=ratio) for ratio in (1.0, 0.8, 0.5)),
    "link_reset": (LinkReset(after_s=0.2), LinkReset(after_s=0), LinkReset(after_s=2)),
    "link_limit": (LinkLimit(bytes=5000), LinkLimit(bytes=100), LinkLimit(bytes=30_000)),
    "stopped": (
        Stopped(stopped_ratio=0.5, period_s=0.2),
        Stopped(stopped_ratio=0.2, period_s=0.4),
        Stopped(stopped_ratio=1),
    ),
    "cpu_hog": (CpuHog(hogs=1), CpuHog(hogs=2), CpuHog(hogs=5)),
    "memory_pressure": (
        MemoryPressure(megabytes=100),
        MemoryPressure(megabytes=300),
        MemoryPressure(megabytes=700),
    ),
    "killed": (Killed(),),
    "restarted": (Restarted(down_s=1), Restarted(down_s=3), Restarted(down_s=8)),
    "gpu_hog": (GpuHog(streams=1), GpuHog(streams=2), GpuHog(streams=3)),
    "gpu_power_limit": (GpuPowerLimit(watts=100), GpuPowerLimit(watts=200), GpuPowerLimit(watts=400)),
    "gpu_clock_limit": (GpuClockLimit(mhz=300), GpuClockLimit(mhz=600), GpuClockLimit(mhz=1200)),
}

# Need a card, which a worker in memory has not.
NOT_VIRTUAL = {"gpu_power_limit", "gpu_clock_limit"}

# Not on the one real layer for all: they need a card, a worker without padding, or longer than the others.
# Those that need no card are seen in tests/real/test_process_faults.py.
APART = {*NOT_VIRTUAL, "gpu_hog", "cpu_hog", "restarted"}

# Where one of the three has to stand for all in a real run: long enough to be seen, soon over.
REAL: dict[str, int] = {
    "slow_steps": 1,
    "slow_unseen": 1,
    "slow_decode": 1,
    "added_per_step": 1,
    "link_latency": 0,
}

# How far from what was asked the measured effect may lie, as a share of it, where 5 % is not to be had.
TOLERANCE_RATIO: dict[str, float] = {
    "link_jitter": 0.4,  # a dozen draws in a real run; tests/faults/link has as many as it takes
    "freeze_after_first_token": 0.15,  # of a second in a real run, a step under way as it begins is a part
    "link_black_hole": 0.2,  # a hundred connections, each hit by chance
}
