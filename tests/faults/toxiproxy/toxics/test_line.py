"""A line: lateness is made up for, idleness saves nothing up, and a long stall stays lost."""

import pytest

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.line import CATCH_UP_S, Line
from faults.toxiproxy.toxics.shared_bandwidth import SharedBandwidth
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.toxic import Toxic
from tests.faults.toxiproxy.streams import Stream, until


def test_turns_follow_each_other_though_each_is_asked_for_late() -> None:
    line, now_s = Line(), 5.0
    for turn in range(1, 101):
        due_s = line.take(0.01, ready_s=5.0, now_s=now_s)
        assert due_s == pytest.approx(5.0 + 0.01 * turn)
        now_s = due_s + 0.003


def test_an_idle_line_saves_nothing_up() -> None:
    line = Line()
    assert line.take(0.01, ready_s=1.0, now_s=1.0) == pytest.approx(1.01)
    assert line.take(0.01, ready_s=9.0, now_s=9.0) == pytest.approx(9.01)


def test_what_waited_before_the_first_turn_saves_nothing_up() -> None:
    assert Line().take(0.01, ready_s=1.0, now_s=9.0) == pytest.approx(9.01)


def test_a_stall_is_made_up_for_up_to_a_bound() -> None:
    line = Line()
    line.take(0.01, ready_s=1.0, now_s=1.0)
    assert line.take(0.01, ready_s=1.0, now_s=9.0) == pytest.approx(9.01 - CATCH_UP_S)


@pytest.mark.parametrize("toxic", [Bandwidth(rate=1000), SharedBandwidth(rate=1000)])
async def test_a_rate_holds_on_timers_that_come_late(toxic: Toxic, late_timers: None) -> None:
    stream = Stream(toxic)
    await stream.say(0.0, *[bytes(10_000)] * 100)  # 10 ms each
    await until(5.0)
    assert stream.times[-1] == pytest.approx(1.0, rel=0.01)


async def test_the_pauses_of_a_slicer_hold_on_timers_that_come_late(late_timers: None) -> None:
    stream = Stream(Slicer(average_size=100, delay=10_000))
    await stream.say(0.0, bytes(6_400))
    await until(5.0)
    assert len(stream.times) == 64
    assert stream.times[-1] == pytest.approx(0.63, rel=0.01)


@pytest.mark.parametrize("toxic", [Bandwidth(rate=100), SharedBandwidth(rate=100)])
async def test_after_a_stopped_reader_the_rate_is_the_same_again(toxic: Toxic) -> None:
    stream = Stream(toxic)
    stream.link.pause()
    await stream.say(0.0, *[bytes(10_000)] * 100)
    await until(5.0)
    stream.link.resume()
    await until(8.0)
    burst_bytes = 100_000 * CATCH_UP_S + 10_000  # and the piece that waited
    assert 300_000 <= len(stream.data) <= 300_000 + burst_bytes


@pytest.fixture
def late_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pause is 5 ms too long."""
    sleep_until = Stub.sleep_until

    async def late(stub: Stub, when_s: float) -> None:
        await sleep_until(stub, when_s + 0.005 if when_s > stub.now() else when_s)

    monkeypatch.setattr(Stub, "sleep_until", late)
