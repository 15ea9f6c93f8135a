import pytest

from faults.link.link_latency import LinkLatency


def test_link_latency_is_a_toxic_in_milliseconds_on_the_way_to_the_caller() -> None:
    (toxic,) = LinkLatency(latency_s=1.5).toxics()
    assert (toxic.type, toxic.direction, toxic.attributes["latency"]) == ("latency", "to_caller", 1500)


@pytest.mark.parametrize("latency_s", [-1, float("nan"), float("inf")])
def test_a_latency_below_nothing_or_for_ever_is_refused(latency_s: float) -> None:
    with pytest.raises(ValueError, match="latency_s must be 0 or more and at most 1000000"):
        LinkLatency(latency_s=latency_s)
