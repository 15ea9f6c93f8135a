"""How much jitter there is, from more draws than a run has."""

from statistics import fmean

import pytest

from faults.link.link_jitter import LinkJitter
from tests.harness.serving.memory_stand import memory_stand

PROBES = 300


@pytest.mark.parametrize("jitter_s", [0.05, 0.2, 0.5])
async def test_the_first_piece_is_held_evenly_from_nothing_to_twice_the_jitter(jitter_s: float) -> None:
    async with memory_stand() as stand, LinkJitter(jitter_s=jitter_s).install(stand.site):
        first_s = [(await stand.link.probe()).first_s for _ in range(PROBES)]
    assert (max(first_s) - min(first_s)) / 2 == pytest.approx(jitter_s, rel=0.05)
    assert min(first_s) < 0.1 * jitter_s
    assert fmean(first_s) == pytest.approx(jitter_s, rel=0.1)


async def test_later_pieces_wait_for_the_slowest_before_them() -> None:
    async with memory_stand() as stand, LinkJitter(jitter_s=0.5).install(stand.site):
        last_s = [(await stand.link.probe()).ended_s for _ in range(PROBES)]
    assert fmean(last_s) > 1.5 * 0.5
