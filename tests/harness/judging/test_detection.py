"""When gates found the fault and whom else they accused, from what they said in the gauges alone."""

import pytest

from harness.judging.detection import accused, detection
from harness.judging.history import Gauge, History, Hop, Setup
from harness.judging.windows import Window
from tests.harness.judging.synthetic import judged

FAULT = Window(10.0, 30.0)


def told(*looks, faulted=("w0",)):
    """What comes of looks at the gates: when, and their words by worker."""
    hops = [Hop(name="front", slots=8), Hop(name="gateway")]
    setup = Setup(
        scenario="s", preset="p", seed=1, version="0", hops=hops, workers=["w0", "w1", "w2"], callers=[]
    )
    gauges = [Gauge(at_s=at_s, place="gateway", values={}, states=states) for at_s, states in looks]
    found = detection(History([setup, *gauges]), faulted, FAULT)
    return found["detection_s"].during, found["false_alarms"].during


def test_it_takes_from_the_start_of_the_fault_to_the_first_word_about_its_worker():
    looks = [
        (9.5, {}),
        (10.5, {}),
        (11.5, {"w0": "breaker_window open"}),
        (12.5, {"w0": "breaker_window open"}),
    ]
    assert told(*looks) == (1.5, 0)


def test_of_several_faulted_workers_the_first_one_found_counts():
    looks = [(12.0, {"w1": "outlier_latency ejected"}), (13.0, {"w0": "outlier_latency ejected"})]
    assert told(*looks, faulted=("w0", "w1")) == (2.0, 0)


def test_what_is_said_of_others_or_after_the_fault_detects_nothing():
    assert told((11.0, {"w1": "breaker_window open"}), (31.0, {"w0": "breaker_window open"})) == (None, 1)
    assert told() == (None, 0)


def test_each_healthy_worker_counts_once_whenever_it_was():
    looks = [
        (1.0, {"w1": "a open"}),
        (2.0, {"w1": "a open"}),
        (20.0, {"w2": "a open"}),
        (40.0, {"w1": "a open"}),
    ]
    assert told(*looks) == (None, 2)


def test_a_worker_accused_before_its_fault_began_was_healthy():
    assert told((5.0, {"w0": "breaker_window open"})) == (None, 1)


def test_without_a_fault_every_accusation_is_false():
    assert told((15.0, {"w0": "a open", "w1": "a open"}), faulted=()) == (None, 2)


@pytest.mark.parametrize(
    "words", ["bulkhead full", "limit_vegas full at 3", "bulkhead full limit_slo full at 1"]
)
def test_a_full_gate_accuses_nobody(words):
    assert accused(Gauge(at_s=1.0, place="gateway", values={}, states={"w0": words})) == set()


@pytest.mark.parametrize(
    "words",
    [
        "breaker_window half_open",
        "bulkhead full breaker_window open",
        "breaker_window open limit_slo full at 1",
        "outlier_latency weight 0.2",
    ],
)
def test_another_word_beside_a_full_gate_still_accuses(words):
    assert accused(Gauge(at_s=1.0, place="gateway", values={}, states={"w0": words})) == {"w0"}


def test_other_places_are_not_asked():
    hops = [Hop(name="gateway")]
    setup = Setup(scenario="s", preset="p", seed=1, version="0", hops=hops, workers=["w0"], callers=[])
    look = Gauge(at_s=11.0, place="front", values={}, states={"w0": "breaker_window open"})
    assert detection(History([setup, look]), ("w0",), FAULT)["detection_s"].during is None


def test_a_history_without_gates_is_judged_as_before():
    metrics = judged().metrics
    assert metrics["detection_s"].during is None
    assert metrics["false_alarms"].during == 0
