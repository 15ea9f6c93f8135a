import pytest
from msgspec.structs import replace

from harness.judging.pairs.pair import judge_pair
from harness.judging.result import Measure, Verdict
from harness.judging.wording import evidence, headline, telling
from tests.harness.judging.synthetic import CHAT, CONTAINED, LOCAL_API, TENANT, judged, simulate


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


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            measure("latency_inflation", 3, quantile=0.99, before=0.002, during=1.9),
            "tenant p99 2ms without the fault -> 1.9s with it",
        ),
        (
            measure("goodput_loss", 0.4, before=1.0, during=0.62),
            "tenant goodput 100% without the fault -> 62% with it",
        ),
        (
            measure("in_flight_growth", 5, before=3.2, during=80.0),
            "tenant under way 3.2 without the fault -> 80 with it",
        ),
        (
            measure("metastable", 1, before=1.0, during=0.12),
            "goodput late in the recovery 100% without the fault -> 12% with it",
        ),
        (measure("blast_radius", 0.5), "50% of the bystander callers hit hard"),
    ],
)
def test_of_a_pair_the_figures_are_those_without_the_fault_and_with_it(found, words):
    assert evidence(found, paired=True) == words


def pair(**plan):
    fault = simulate(**plan)
    return judge_pair(fault, simulate(**plan | {"kind": None, "scenario": fault.setup.scenario})).fault


def test_a_pair_tells_headline_and_reasons_against_its_control():
    found = pair()
    assert found.headline.startswith(
        "pressure spread to front (2 hops up): local_front p50 2ms without the fault -> "
    )
    assert found.headline.endswith(" with it")
    told = [reason for reason in found.reasons if " -> " in reason]
    assert len(told) > 1
    assert all(" without the fault -> " in reason for reason in told)


def test_a_contained_pair_keeps_the_share_of_the_goodput_that_its_control_has():
    found = pair(**CONTAINED)
    assert " without the fault -> " in found.headline
    chat = next(caller for caller in found.callers if caller.name == "chat").metrics["goodput_ratio"]
    assert f"; chat keeps {chat.during:.0%} of its goodput" in found.headline  # all are good in the control


def test_goodput_that_was_lost_in_the_control_as_well_was_kept():
    found = pair(**CONTAINED)
    chat = next(caller for caller in found.callers if caller.name == "chat")
    good = chat.metrics["goodput_ratio"]
    poor = chat.model_copy(update={"metrics": {"goodput_ratio": good.model_copy(update={"during": 0.5})}})
    better = chat.model_copy(update={"metrics": {"goodput_ratio": good.model_copy(update={"during": 0.8})}})
    told = headline(Verdict.PASS, found.measures, [], [], [poor], [], faulted=True, control=[better])
    assert told.endswith("; chat keeps 62% of its goodput")


def test_two_runs_without_a_fault_are_not_told_as_if_one_had_it():
    calm = simulate(kind=None)
    found = judge_pair(calm, calm).fault
    assert found.headline.startswith("nothing rose (worst: ")
    assert "without the fault" not in found.headline


def test_what_stays_after_the_fault_has_gone_is_told_first():
    stuck = measure("metastable", 1, before=1.0, during=0.12, lower=1.0, mild=0.0)
    slow = measure("latency_inflation", 3, quantile=0.5, before=0.002, during=1.9, lower=2.0)
    told = headline(Verdict.FAIL, [slow, stuck], [], [], [], ["api"], faulted=True, control=judged().callers)
    assert told == (
        "pressure stayed after the fault had gone: "
        "goodput late in the recovery 100% without the fault -> 12% with it"
    )


def test_one_hop_is_one_hop():
    result = judged(
        slots=(("api", 24), ("gateway", None)), callers=(_at_api(CHAT), _at_api(TENANT), LOCAL_API)
    )
    assert result.headline.startswith("pressure spread to api (1 hop up): ")


def _at_api(caller):
    return replace(caller, hop="api")
