import pytest
from msgspec.structs import replace

from harness.judging.result import Measure
from harness.judging.wording import evidence, telling
from tests.harness.judging.synthetic import CHAT, LOCAL_API, TENANT, judged


def measure(name, value, **changes):
    fields = {
        "name": name, "about": "tenant", "value": value, "lower": 0.0, "upper": 9.0, "mild": 1.0,
        "severe": 2.0, "deciding": True,
    }  # fmt: skip
    return Measure(**fields | changes)


def test_latency_is_told_before_goodput_and_the_largest_first():
    loss = measure("goodput_loss", 0.9)
    small = measure("latency_inflation", 2.0, quantile=0.5)
    large = measure("latency_inflation", 3.0, quantile=0.5, about="local")
    tail = measure("latency_inflation", 9.0, quantile=0.99)
    assert telling([loss, tail, small, large]) is large


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (measure("latency_inflation", 3, quantile=0.99, before=0.002, during=1.9), "tenant p99 2ms -> 1.9s"),
        (measure("goodput_loss", 0.4, before=1.0, during=0.62), "tenant goodput 100% -> 62%"),
        (measure("in_flight_growth", 5, before=3.2, during=80.0), "tenant under way 3.2 -> 80"),
        (measure("blast_radius", 0.5), "50% of the bystander callers hit hard"),
    ],
)
def test_evidence_is_raw_figures_with_units(found, words):
    assert evidence(found) == words


def test_one_hop_is_one_hop():
    result = judged(
        slots=(("api", 24), ("gateway", None)), callers=(_at_api(CHAT), _at_api(TENANT), LOCAL_API)
    )
    assert result.headline.startswith("pressure spread to api (1 hop up): ")


def _at_api(caller):
    return replace(caller, hop="api")
