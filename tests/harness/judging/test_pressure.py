import numpy as np
import pytest

from harness.judging.history import Finished, History, Visit
from harness.judging.pressure import slope, traffic
from tests.harness.judging.synthetic import CONTAINED, judged, simulate


def place(result, name):
    return next(place for place in result.places if place.name == name)


def test_a_healthy_hop_is_loaded_as_littles_law_says():
    in_use = place(judged(), "gateway").metrics["in_use"].before
    assert in_use == pytest.approx(20 * 0.49, rel=0.15)


def test_under_spread_all_slots_are_held_and_a_line_grows_in_front_of_them():
    front = place(judged(), "front")
    assert front.metrics["in_use"].during > 30
    assert front.metrics["in_use"].before < 12
    assert front.metrics["waiting"].before == pytest.approx(0, abs=0.1)
    assert front.metrics["waiting"].during > 50
    assert front.metrics["queue_growth_rps"].during > 5
    assert front.metrics["wait_s.p50"].during > 1
    assert front.metrics["hop_s.p99"].during > 100 * front.metrics["hop_s.p50"].before


def test_the_service_nearest_to_the_workers_fills_first():
    result = judged()
    assert 0 < place(result, "api").full_after_s <= place(result, "front").full_after_s
    assert place(result, "gateway").full_after_s is None


def test_contained_means_no_service_filled():
    assert all(place.full_after_s is None for place in judged(**CONTAINED).places)


def test_the_faulted_workers_batch_is_full_and_its_queue_long():
    worker = place(judged(), "worker 2")
    assert worker.faulted
    assert worker.metrics["in_use"].during == pytest.approx(8, abs=0.5)
    assert worker.metrics["waiting"].during > 5
    assert place(judged(), "worker 1").metrics["in_use"].during < 5


def test_a_dead_worker_has_no_batch():
    assert place(judged(kind="killed"), "worker 2").metrics["in_use"].during is None


def test_the_slope_ignores_a_few_wild_points():
    times = np.arange(20.0)
    values = 2 * times
    values[5] = 900
    assert slope(times, values) == pytest.approx(2.0)
    assert slope(times[:1], values[:1]) == 0


def test_a_visit_to_a_hop_that_does_not_exist_is_refused():
    stray = Visit(at_s=1, hop="back", request="a", arrived_s=0, granted_s=0, kind="ok")
    with pytest.raises(ValueError, match="'back', which is no hop"):
        traffic(History([simulate(fault_s=1.0).setup, stray, Finished(at_s=2, clean=True)]))
