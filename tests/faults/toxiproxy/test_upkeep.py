"""What a proxy does to its toxics by itself, in virtual time."""

import asyncio

import pytest

from faults.toxiproxy.errors import Refused
from faults.toxiproxy.order import TimedToxic
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.proxy_toxics import ProxyToxics
from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.toxic import Toxic
from tests.faults.toxiproxy.streams import Stream, until


class OneLink:
    """What toxics see of a connection, with one way in memory."""

    def __init__(self) -> None:
        self.stream = Stream()
        self.told: list[str] = []

    def add(self, placement: Placement) -> None:
        self.told.append(f"add {placement.name}")
        self.stream.link.insert(0, placement.name, placement.toxic, self.stream.rng())

    def update(self, new: Placement) -> None:
        self.told.append(f"update {new.name}")
        self.stream.link.replace(new.name, new.toxic)

    def ease(self, placement: Placement) -> None:
        self.stream.link.ease(placement.name, placement.toxic)

    def remove(self, placement: Placement) -> None:
        self.told.append(f"remove {placement.name}")
        self.stream.link.remove(placement.name)


@pytest.fixture
async def link() -> OneLink:
    return OneLink()


@pytest.fixture
def toxics(link: OneLink) -> ProxyToxics:
    return ProxyToxics([link])


def order(
    toxic: Toxic | None = None,
    name: str = "t",
    limit_s: float | None = None,
    ramp: Ramp | None = None,
    toxicity: float = 1.0,
) -> TimedToxic:
    start = ramp.start if ramp is not None else toxic or Latency(latency=50)
    return TimedToxic(Placement(name, "downstream", start, toxicity), limit_s, ramp)


async def test_a_toxic_is_taken_off_when_its_time_is_over(toxics: ProxyToxics, link: OneLink) -> None:
    toxics.put(order(limit_s=10.0))
    await asyncio.sleep(9.9)
    assert toxics.names() == {"t"}
    assert toxics.upkeep.time_left_s("t") == pytest.approx(0.1)
    await asyncio.sleep(0.2)
    assert toxics.names() == set()
    assert link.told == ["add t", "remove t"]


async def test_the_same_again_renews_the_time_and_touches_no_connection(
    toxics: ProxyToxics, link: OneLink
) -> None:
    for _ in range(5):
        toxics.put(order(limit_s=10.0))
        await asyncio.sleep(9.0)
    assert link.told == ["add t"]
    await asyncio.sleep(1.1)
    assert toxics.names() == set()


async def test_without_a_limit_a_toxic_stays_also_if_it_had_one(toxics: ProxyToxics) -> None:
    toxics.put(order(limit_s=10.0))
    toxics.put(order())
    await asyncio.sleep(1000.0)
    assert toxics.names() == {"t"}


async def test_a_toxic_taken_off_by_hand_takes_its_limit_with_it(toxics: ProxyToxics) -> None:
    toxics.put(order(limit_s=10.0))
    toxics.remove("t")
    toxics.put(order())
    await asyncio.sleep(20.0)
    assert toxics.names() == {"t"}


async def test_other_attributes_change_in_place_and_another_kind_replaces(
    toxics: ProxyToxics, link: OneLink
) -> None:
    toxics.put(order())
    toxics.put(order(Latency(latency=60)))
    toxics.put(order(Latency(latency=60), toxicity=0.5))
    toxics.put(order(Bandwidth(rate=5)))
    assert link.told == ["add t", "update t", "update t", "remove t", "add t"]


async def test_setting_an_owner_s_toxics_leaves_strangers_alone(toxics: ProxyToxics) -> None:
    for name in ("run.a", "run.b", "other.a", "a"):
        toxics.put(order(name=name))
    toxics.set_owned("run", [order(name="run.b"), order(name="run.c", limit_s=1.0)])
    assert toxics.names() == {"run.b", "run.c", "other.a", "a"}
    await asyncio.sleep(2.0)
    toxics.set_owned("run", [])
    assert toxics.names() == {"other.a", "a"}


# report 16: chaos-mesh#4535
async def test_a_ramp_goes_evenly_from_one_value_to_the_other(toxics: ProxyToxics, link: OneLink) -> None:
    toxics.put(order(ramp=Ramp(Latency(latency=50), Latency(latency=200), over_s=4.0)))
    for n in range(60):
        await link.stream.say(n * 0.1, b"x")
    await until(10.0)
    late_ms = [(at_s - n * 0.1) * 1000 for n, at_s in enumerate(link.stream.times)]
    for n in range(40):
        assert late_ms[n] == pytest.approx(50 + 150 * n * 0.1 / 4.0, abs=3)
    assert late_ms[41:] == pytest.approx([200] * 19, abs=1e-3)


async def test_a_ramp_of_bandwidth_never_holds_up_what_is_under_way(
    toxics: ProxyToxics, link: OneLink
) -> None:
    """At 1 KB/s a piece takes 100 ms, twice as long as a step of the ramp."""
    toxics.put(order(ramp=Ramp(Bandwidth(rate=0), Bandwidth(rate=100), over_s=10.0)))
    await link.stream.say(0.0, bytes(10_000_000))
    await until(10.0)
    assert len(link.stream.data) == pytest.approx(100_000 * 10.0 / 2, rel=0.1)
    assert link.stream.came[0][0] < 0.5


async def test_the_same_ramp_again_goes_on_and_another_begins(toxics: ProxyToxics) -> None:
    ramp = Ramp(Latency(latency=0), Latency(latency=100), over_s=10.0)
    toxics.put(order(ramp=ramp))
    await asyncio.sleep(5.0)
    toxics.put(order(ramp=ramp, limit_s=100.0))
    assert toxics.get("t").toxic.attributes()["latency"] == pytest.approx(50, abs=1)
    await asyncio.sleep(20.0)
    toxics.put(order(ramp=ramp, limit_s=100.0))
    assert toxics.get("t").toxic == Latency(latency=100)
    toxics.put(order(ramp=Ramp(Latency(latency=100), Latency(latency=0), over_s=10.0)))
    await asyncio.sleep(5.0)
    assert toxics.get("t").toxic.attributes()["latency"] == pytest.approx(50, abs=1)


@pytest.mark.parametrize("how", ["update", "remove", "close"])
async def test_who_changes_a_toxic_by_hand_ends_its_ramp(toxics: ProxyToxics, how: str) -> None:
    toxics.put(order(ramp=Ramp(Latency(latency=0), Latency(latency=100), over_s=10.0), limit_s=30.0))
    await asyncio.sleep(5.0)
    if how == "update":
        toxics.update(Placement("t", "downstream", Latency(latency=7)))
    elif how == "remove":
        toxics.remove("t")
    else:
        toxics.upkeep.close()
    await asyncio.sleep(20.0)
    assert toxics.upkeep.ramp_of("t") is None
    if how == "update":
        assert toxics.get("t").toxic == Latency(latency=7)
        await asyncio.sleep(10.0)
        assert toxics.names() == set()
    elif how == "remove":
        with pytest.raises(Refused, match="toxic not found"):
            toxics.get("t")
    else:
        assert toxics.get("t").toxic.attributes()["latency"] == pytest.approx(50, abs=1)
