import pytest

from faults.link_latency import LinkLatency


def test_link_latency_is_a_toxic_in_milliseconds_on_the_way_to_the_caller() -> None:
    (toxic,) = LinkLatency(latency_s=1.5).toxics()
    assert (toxic.type, toxic.direction, toxic.attributes["latency"]) == ("latency", "to_caller", 1500)
    assert LinkLatency(latency_s=1.5).step_s(0.03) == 0.03  # the worker is not slowed


@pytest.mark.parametrize("latency_s", [0, -1, float("nan"), float("inf")])
def test_a_latency_of_nothing_or_for_ever_is_refused(latency_s: float) -> None:
    with pytest.raises(ValueError, match="latency_s must be above 0 s"):
        LinkLatency(latency_s=latency_s)
