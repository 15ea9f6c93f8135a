"""Bodies of calls under /x/: nothing in them is ignored."""

from typing import Any

import pytest

from faults.toxiproxy.errors import Refused
from faults.toxiproxy.extended_wire import changed_extras, proxy_order, toxic_order, toxic_orders
from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.reception import Reception
from faults.toxiproxy.toxics.latency import Latency

PROXY = {"name": "p", "upstream": "127.0.0.1:9"}


def test_a_proxy_comes_with_its_toxics_and_how_it_receives() -> None:
    given = {"toxics": [{"type": "latency", "attributes": {"latency": 5}}, {"type": "cut"}]}
    setting, extras = proxy_order({**PROXY, **given, "accept_delay_ms": 7})
    assert setting.name == "p"
    assert [each.placement.name for each in extras.toxics] == ["latency_downstream", "cut_downstream"]
    assert extras.reception(Reception(1, True)) == Reception(7, True)


def test_what_is_not_said_stays_as_it_is() -> None:
    assert changed_extras({}, toxics=False).reception(Reception(5, True)) == Reception(5, True)
    given = {"accept_delay_ms": 0, "refuse_when_down": False}
    assert changed_extras(given, toxics=False).reception(Reception(5, True)) == Reception()


def test_a_toxic_has_a_time_limit_and_a_ramp() -> None:
    order = toxic_order(
        {
            "type": "latency",
            "attributes": {"latency": 50, "jitter": 3},
            "time_limit_s": 2.5,
            "ramp_to": {"latency": 200},
            "ramp_s": 4,
        }
    )
    assert order.time_limit_s == 2.5
    assert order.ramp == Ramp(Latency(latency=50, jitter=3), Latency(latency=200, jitter=3), 4.0)


def test_toxics_of_an_owner_are_named_after_them() -> None:
    (order,) = toxic_orders([{"type": "latency"}], "run.w0")
    assert order.placement.name == "run.w0.latency_downstream"


LATENCY = {"type": "latency"}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"type": "latncy"}, "invalid toxic type 'latncy', expected one of bandwidth, cut, "),
        ({"type": "latency", "stream": "sideways"}, "stream was invalid"),
        ({**LATENCY, "attributes": {"latncy": 5}}, 'unknown field "latncy"; known are latency, jitter'),
        ({**LATENCY, "attributes": {"latency": -1}}, "latency: expected a whole number from 0"),
        ({**LATENCY, "toxicity": 7}, "toxicity: expected a number from 0 to 1"),
        ({**LATENCY, "time_limit_s": 0}, "time_limit_s: expected seconds above 0"),
        ({**LATENCY, "time_limit_s": "5"}, "time_limit_s: expected a number"),
        ({**LATENCY, "ttl": 5}, 'unknown field "ttl"'),
        ({**LATENCY, "ramp_s": 5}, "a ramp needs both ramp_to and ramp_s"),
        ({**LATENCY, "ramp_to": {"latency": 5}}, "a ramp needs both ramp_to and ramp_s"),
        ({**LATENCY, "ramp_to": {"rate": 5}, "ramp_s": 1}, 'ramp_to: unknown field "rate"'),
        ({**LATENCY, "ramp_to": {"latency": -5}, "ramp_s": 1}, "latency: expected a whole number"),
        ("latency", "toxic: expected an object"),
    ],
)
def test_a_toxic_that_is_wrong_is_refused_with_its_place(wrong: Any, why: str) -> None:
    with pytest.raises(Refused) as refused:
        proxy_order({**PROXY, "toxics": [wrong]}, " at proxy 3")
    assert refused.value.status == 400
    assert why in refused.value.text
    assert refused.value.text.endswith(" at toxic 1 at proxy 3")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"accept_delay_ms": -1}, "accept_delay_ms: expected a whole number from 0"),
        ({"accept_delay_ms": 1.5}, "accept_delay_ms: expected a whole number"),
        ({"refuse_when_down": 1}, "refuse_when_down: expected true or false"),
        ({"acept_delay_ms": 5}, 'proxy: unknown field "acept_delay_ms"'),
        ({"toxics": {}}, "toxics: expected an array"),
    ],
)
def test_a_proxy_that_is_wrong_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused) as refused:
        proxy_order({**PROXY, **wrong})
    assert why in refused.value.text


def test_a_change_of_a_proxy_brings_no_toxics() -> None:
    with pytest.raises(Refused, match='unknown field "toxics"'):
        changed_extras({"toxics": []}, toxics=False)


def test_a_name_stands_only_once_in_a_list() -> None:
    with pytest.raises(Refused, match="toxic already exists at toxic 2") as refused:
        toxic_orders([LATENCY, LATENCY])
    assert refused.value.status == 409


@pytest.mark.parametrize("name", ["other.latency", "latency", "run.a.b"])
def test_a_name_that_is_not_the_owner_s_is_refused(name: str) -> None:
    with pytest.raises(Refused, match=r"name: expected 'run\.' and no dot"):
        toxic_orders([{**LATENCY, "name": name}], "run")
