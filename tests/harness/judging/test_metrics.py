from harness.judging.metrics import METRICS
from tests.harness.judging.synthetic import judged


def test_every_stored_metric_is_in_the_registry_and_at_its_place():
    result = judged()
    known = {
        of: {name for m in METRICS.values() if m.of == of for name in m.names()}
        for of in ("caller", "hop", "run")
    }
    assert {name for caller in result.callers for name in caller.metrics} == known["caller"]
    assert {name for place in result.places for name in place.metrics} == known["hop"]
    assert set(result.metrics) == known["run"]


def test_every_measure_of_spread_is_in_the_registry():
    measures = {measure.name for measure in judged().measures} - {"retry_amplification"}
    assert measures == {metric.name for metric in METRICS.values() if metric.of == "spread"}


def test_every_metric_has_a_unit_and_one_line_of_meaning():
    assert all(metric.unit and metric.meaning and "\n" not in metric.meaning for metric in METRICS.values())


def test_shares_and_durations_say_so_in_their_names():
    for metric in METRICS.values():
        if metric.of in ("caller", "hop", "run"):
            assert (metric.unit == "share") == metric.name.endswith("_ratio")
            assert (metric.unit == "s") == metric.name.endswith("_s") or metric.name.endswith("per_s")
