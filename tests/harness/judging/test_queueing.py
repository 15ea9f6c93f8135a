from math import inf, sqrt

import pytest

from harness.judging.queueing import (
    captured_ratio,
    full_batch_capacity_rps,
    full_between_s,
    held_at_most,
    must_fill,
    slots_needed,
    travel_s,
    unavoidable_loss_ratio,
    verdict_of_load,
)


@pytest.mark.parametrize(("factor", "service_times"), [(3, 80.6), (10, 43.0)])
def test_pressure_travels_as_fast_as_the_published_formula_says(factor, service_times):
    """8 single-server nodes, 32 permits, utilisation .6: (C - (N-1) rho / (1-rho)) / (rho - 1/s)."""
    nodes, permits, rho = 8, 32, 0.6
    free = permits - (nodes - 1) * rho / (1 - rho)
    assert travel_s(free, rho, 1 / factor, 0.0) == pytest.approx(service_times, rel=0.01)


def test_a_batching_worker_drains_nothing_in_its_first_slowed_service_time():
    assert travel_s(10, 5.0, 2.0, first_service_s=2.5) == 2.0
    assert travel_s(10, 5.0, 2.0, first_service_s=1.0) == pytest.approx((10 - 2) / 3)


def test_a_worker_that_keeps_up_never_takes_all_slots():
    assert travel_s(10, 2.0, 2.5, 0.0) == inf
    assert full_between_s(24, 12, 2.0, 2.5)[1] == inf


def test_the_time_of_one_run_lies_around_the_mean():
    low, high = full_between_s(24, 12, 5.0, 1.67)
    assert low == pytest.approx((12 - sqrt(24)) / 5)
    assert low < travel_s(12, 5.0, 1.67, 4.8) < high


def test_slots_that_are_gone_already_take_no_time():
    assert travel_s(-1, 5.0, 1.0, 1.0) == 0
    assert full_between_s(24, 30, 5.0, 1.0)[0] == 0


def test_capacity_is_a_full_batch_of_answers():
    assert full_batch_capacity_rps(8, 16, 0.03) == pytest.approx(16.67, abs=0.01)


def test_a_quarter_of_the_traffic_ten_times_slower_holds_77_percent_of_the_slots():
    assert captured_ratio(0.25, 10) == pytest.approx(0.769, abs=0.001)
    assert captured_ratio(0.25, 1) == 0.25


def test_a_full_queue_captures_no_more_than_it_holds():
    assert captured_ratio(0.25, 10, at_most=24, others=76.0) == pytest.approx(0.24)
    assert captured_ratio(0.25, 10, at_most=264, others=6.0) == captured_ratio(0.25, 10)


def test_littles_law_gives_the_slots_that_a_delay_needs():
    assert slots_needed(5.0, 6.5, others=9.0) == pytest.approx(41.5)


def test_a_saturated_worker_holds_a_full_batch_and_a_full_queue():
    assert held_at_most(4, 8, 256) == 4 * 264
    assert held_at_most(4, 8, None) == inf


@pytest.mark.parametrize(
    ("slots", "held", "fills"), [(100, 264, True), (300, 264, None), (310, 264, None), (330, 264, False)]
)
def test_slots_beyond_what_a_full_queue_holds_cannot_run_out(slots, held, fills):
    assert must_fill(slots, held, others=20.0) is fills


def test_few_slots_run_out_by_chance_where_many_do_not():
    assert must_fill(24, 12, others=8.0) is None
    assert must_fill(2400, 1200, others=800.0) is False


@pytest.mark.parametrize(("load", "overflows"), [(0.5, False), (0.95, None), (1.05, None), (1.5, True)])
def test_near_one_chance_decides(load, overflows):
    assert verdict_of_load(load) is overflows


def test_only_load_beyond_what_is_left_is_unavoidably_lost():
    assert unavoidable_loss_ratio(4, 0.3, 10) == 0
    assert unavoidable_loss_ratio(4, 0.9, inf) == pytest.approx(1 - 3 / 3.6)
    assert unavoidable_loss_ratio(4, 0.0, 10) == 0
    assert unavoidable_loss_ratio(4, 0.9, 10, faulted=2) == pytest.approx(1 - 2.2 / 3.6)
