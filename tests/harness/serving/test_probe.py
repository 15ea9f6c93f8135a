"""What a probe says, from what came when."""

import asyncio

import pytest

from faults.site import Toxic
from harness.serving.probe import BODY_BYTES, FLOW_LIMIT_S, Ended, Probe
from tests.harness.serving.memory_stand import latency, memory_stand


def test_values_are_those_that_were_seen() -> None:
    probe = Probe(Ended.SILENT, 60.0, connect_s=0.001)
    assert probe.values() == {"took_s": 60.0, "connect_s": 0.001, "received_bytes": 0.0}


def test_the_rate_is_of_what_comes_after_the_first_quarter() -> None:
    probe = Probe(Ended.WHOLE, 3.1, arrivals=((0.1, 1000), (1.0, 2000), (2.0, 4000), (3.0, 3000)))
    values = probe.values()
    assert values["rate_kb_per_s"] == pytest.approx(7.0 / 2)  # 3 kB are there at 1 s, and 7 more come in 2 s
    assert values["gap_s"] == 1.0
    assert (values["first_s"], values["rest_s"], values["probe_s"]) == (0.1, 3.0, 3.1)


def test_what_came_at_once_has_no_rate_and_no_gap() -> None:
    values = Probe(Ended.WHOLE, 0.1, arrivals=((0.1, 33_000),)).values()
    assert values.keys().isdisjoint({"rate_kb_per_s", "gap_s"})


def test_one_that_was_cut_has_no_round_trip() -> None:
    assert "probe_s" not in Probe(Ended.CUT, 0.1, arrivals=((0.1, 500),)).values()


async def test_a_line_too_slow_for_the_whole_is_told_by_what_came() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("bandwidth", "to_caller", {"rate": 2})])
        probe = await stand.link.probe()
        assert probe.ended is Ended.SLOW
        assert probe.ended_s == pytest.approx(probe.first_s + FLOW_LIMIT_S)
        assert probe.received_bytes < BODY_BYTES / 2
        assert probe.values()["rate_kb_per_s"] == pytest.approx(2, rel=0.05)
        assert await stand.at_rest()


async def test_a_narrow_line_is_not_narrower_for_the_probes_that_look_at_it() -> None:
    """Each has a connection of its own, and a line belongs to a connection."""
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("bandwidth", "to_caller", {"rate": 20})])
        probes = await asyncio.gather(*[stand.link.probe() for _ in range(5)])
        assert [p.values()["rate_kb_per_s"] for p in probes] == [pytest.approx(20, rel=0.05)] * 5


async def test_a_late_goodbye_shows_in_nothing_else() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([Toxic("slow_close", "to_caller", {"delay": 700})])
        probe = await stand.link.probe()
        assert (probe.ended, probe.close_s) == (Ended.WHOLE, pytest.approx(0.7))
        assert probe.ended_s == pytest.approx(0.02)


async def test_whoever_gives_up_a_probe_leaves_nothing_behind() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(9000)])
        task = asyncio.create_task(stand.link.probe())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await stand.at_rest()
