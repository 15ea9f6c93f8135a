"""The message_latency toxic on a question's and an answer's way in memory."""

from statistics import fmean

import pytest

from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.message_latency import MessageLatency
from tests.faults.toxiproxy.streams import until, ways

CHUNKS = 20
MESSAGES = 600


async def delays_s(toxic: object) -> list[list[float]]:
    """For each of many answers in many chunks, 4 ms from one to the next, how late each chunk came."""
    question, answer = ways(toxic)
    start_s = await answer.begin()
    for message in range(MESSAGES):
        await question.say(start_s + message * 10.0, b"?")
        for chunk in range(CHUNKS):
            await answer.say(start_s + message * 10.0 + 1.0 + chunk * 0.004, b"x")
    await until(start_s + MESSAGES * 10.0)
    sent = [message * 10.0 + 1.0 + chunk * 0.004 for message in range(MESSAGES) for chunk in range(CHUNKS)]
    late = [at_s - start_s - sent_s for at_s, sent_s in zip(answer.times, sent, strict=True)]
    return [late[first : first + CHUNKS] for first in range(0, len(late), CHUNKS)]


# report 9: toxiproxy#556, #655
async def test_jitter_by_message_has_no_drift_where_jitter_by_chunk_has() -> None:
    by_message = await delays_s(MessageLatency(latency=200, jitter=200))
    by_chunk = await delays_s(Latency(latency=200, jitter=200))
    assert fmean(late[-1] for late in by_message) == pytest.approx(0.2, rel=0.07)
    assert fmean(late[-1] for late in by_chunk) > 0.3


async def test_all_chunks_of_a_message_keep_their_distance() -> None:
    answers = await delays_s(MessageLatency(latency=200, jitter=150))
    assert all(max(late) - min(late) < 1e-5 for late in answers)
    firsts = [late[0] for late in answers]
    assert 0.05 <= min(firsts) < 0.1
    assert 0.3 < max(firsts) <= 0.35


def test_a_jitter_that_would_need_negative_delays_is_refused() -> None:
    with pytest.raises(ValueError, match=r"jitter: expected at most latency \(100\), got 101"):
        MessageLatency(latency=100, jitter=101)
