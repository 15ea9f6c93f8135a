"""Faults between the gateway and one worker, through Toxiproxy: the worker itself is not slowed."""

from faults.fault import Fault
from faults.link.link_latency import LinkLatency

FAULTS: tuple[type[Fault], ...] = (LinkLatency,)
