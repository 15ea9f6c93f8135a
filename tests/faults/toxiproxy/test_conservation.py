"""No byte is lost, doubled or moved, whatever is added, changed and removed while data is under way."""

import asyncio
import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.first_byte import FirstByte
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from faults.toxiproxy.toxics.message_latency import MessageLatency
from faults.toxiproxy.toxics.reset_peer import ResetPeer
from faults.toxiproxy.toxics.shared_bandwidth import SharedBandwidth
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.slow_close import SlowClose
from faults.toxiproxy.toxics.toxic import Toxic
from harness.clock import run_virtual
from tests.faults.toxiproxy.streams import Stream, settle

milliseconds = st.integers(0, 300)
slicers = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 20_000)).map(
    lambda drawn: Slicer(average_size=max(drawn[:2]), size_variation=min(drawn[:2]), delay=drawn[2])
)
message_latencies = st.tuples(milliseconds, milliseconds, milliseconds).map(
    lambda drawn: MessageLatency(latency=max(drawn[:2]), jitter=min(drawn[:2]), quiet=drawn[2])
)
toxics = st.one_of(
    st.just(Toxic()),
    st.builds(Latency, latency=milliseconds, jitter=milliseconds),
    st.builds(Bandwidth, rate=st.sampled_from([0, 1, 7, 1000])),
    st.builds(SlowClose, delay=milliseconds),
    st.builds(LimitData, bytes=st.just(10**9)),
    st.builds(ResetPeer, timeout=st.just(10**9)),
    st.builds(FirstByte, delay=milliseconds, quiet=milliseconds),
    message_latencies,
    st.builds(SharedBandwidth, rate=st.sampled_from([0, 1, 7, 1000])),
    slicers,
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("feed"), st.integers(1, 400)),
        st.tuples(st.just("insert"), st.integers(0, 9), toxics),
        st.tuples(st.just("change"), st.integers(0, 9), toxics),
        st.tuples(st.just("ease"), st.integers(0, 9), toxics),
        st.tuples(st.just("remove"), st.integers(0, 9)),
        st.tuples(st.just("spare"), st.integers(0, 9)),
        st.tuples(st.just("pause")),
        st.tuples(st.just("resume")),
        st.tuples(st.just("wait"), st.floats(0.0, 0.5)),
        st.tuples(st.just("turn")),
    ),
    min_size=1,
    max_size=40,
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(steps=steps, seed=st.integers(0, 9))
def test_what_comes_out_is_what_went_in(steps: list[tuple], seed: int) -> None:
    run_virtual(Run(seed).follow(steps))


class Run:
    """One stream, and what was fed into it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.sent = b""
        self.number = 0

    async def follow(self, steps: list[tuple]) -> None:
        self.stream = Stream()
        for kind, *arguments in steps:
            act: Callable[..., object] = getattr(self, f"do_{kind}")
            done = act(*arguments)
            if asyncio.iscoroutine(done):
                await done
            assert self.sent.startswith(self.stream.data)
        await self.finish()

    async def finish(self) -> None:
        """Whatever still holds data lets go of it, and the end comes behind it."""
        self.stream.link.end(End.EOF)
        self.stream.link.resume()
        for name in self.stream.link.names():
            self.stream.link.remove(name)
        await settle()
        assert self.stream.data == self.sent
        assert self.stream.ending is not None
        assert self.stream.ending[1] is End.EOF

    def do_feed(self, size: int) -> None:
        data = random.Random(len(self.sent)).randbytes(size)
        self.sent += data
        self.stream.link.feed(data)

    def do_insert(self, place: int, toxic: Toxic) -> None:
        self.number += 1
        place %= len(self.stream.link.names()) + 1
        self.stream.link.insert(place, f"t{self.number}", toxic, random.Random(self.seed))

    def do_change(self, place: int, toxic: Toxic) -> None:
        for name in self.named(place):
            self.stream.link.replace(name, toxic)

    def do_ease(self, place: int, toxic: Toxic) -> None:
        for name in self.named(place):
            self.stream.link.ease(name, toxic)

    def do_remove(self, place: int) -> None:
        for name in self.named(place):
            self.stream.link.remove(name)

    def do_spare(self, place: int) -> None:
        for name in self.named(place):
            self.stream.link.spare(name, may_close=True)

    def do_pause(self) -> None:
        self.stream.link.pause()

    def do_resume(self) -> None:
        self.stream.link.resume()

    async def do_wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def do_turn(self) -> None:
        await asyncio.sleep(0)

    def named(self, place: int) -> list[str]:
        names = self.stream.link.names()
        return [names[place % len(names)]] if names else []
