"""Faults act below the policies: what a caller bounds stays bounded, whatever the link does."""

import asyncio

import pytest

from faults.fault import LinkFault
from faults.link.link_black_hole import LinkBlackHole
from faults.link.link_first_byte import LinkFirstByte
from faults.link.link_latency import LinkLatency
from faults.link.link_slow_accept import LinkSlowAccept
from faults.link.link_stall import LinkStall
from harness.judging.history import History
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.outcome import Kind
from policies.pipeline import Pipeline
from policies.timers.timers import Timers
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, memory_stand

HELD = [
    LinkLatency(latency_s=30),
    LinkFirstByte(delay_s=30),
    LinkSlowAccept(delay_s=30),
    LinkStall(after_s=30),
    LinkBlackHole(),
]


def gateway(stand: MemoryStand, timers: Timers) -> Gateway:
    return Gateway(Pipeline(timers=timers), {"worker-0": stand.link}, Recorder(History()), seed=1)


# report 19: istio/istio#13705, #20928
@pytest.mark.parametrize("fault", HELD, ids=lambda fault: fault.kind)
async def test_a_callers_timeout_fires_under_a_fault_that_holds_or_swallows_answers(fault: LinkFault) -> None:
    async with memory_stand() as stand, fault.install(stand.site):
        call = attempt().call
        ended = await gateway(stand, Timers(attempt_s=2.0)).handle(call)
        assert (ended.kind, ended.phase) == (Kind.TIMEOUT, "attempt")
        assert asyncio.get_running_loop().time() == pytest.approx(2.0)


# report 19: istio/istio#13705, #20928
@pytest.mark.parametrize("fault", HELD, ids=lambda fault: fault.kind)
async def test_a_bound_on_the_first_token_fires_sooner(fault: LinkFault) -> None:
    async with memory_stand() as stand, fault.install(stand.site):
        ended = await gateway(stand, Timers(ttft_s=0.5, attempt_s=2.0)).handle(attempt().call)
        assert (ended.kind, asyncio.get_running_loop().time()) == (Kind.TIMEOUT, pytest.approx(0.5))


async def test_a_fault_that_is_shorter_than_the_timeout_does_not_trip_it() -> None:
    async with memory_stand() as stand, LinkLatency(latency_s=1).install(stand.site):
        ended = await gateway(stand, Timers(attempt_s=2.0)).handle(attempt().call)
        assert ended.kind is Kind.OK
        assert asyncio.get_running_loop().time() == pytest.approx(1.0 + 8 * STEP_S)
