"""Faults between the gateway and one worker, through Toxiproxy: the worker itself is not slowed."""

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

FAULTS: tuple[type[Fault], ...] = (
    LinkLatency,
    LinkJitter,
    LinkBandwidth,
    LinkSlicer,
    LinkStall,
    LinkBlackHole,
    LinkReset,
    LinkLimit,
    LinkSlowClose,
    LinkSlowAccept,
    LinkFirstByte,
    LinkGap,
)
