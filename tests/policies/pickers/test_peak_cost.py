"""The peak rule, with plain numbers."""

from math import exp

import pytest

from policies.pickers.peak_cost import UNKNOWN_S, PeakCosts

TAU_S = 10.0


def costs(**samples):
    """Workers that each took so long at 0 s."""
    made = PeakCosts(TAU_S)
    for worker, seconds in samples.items():
        made.learn(worker, seconds, 0.0)
    return made


def test_a_sample_above_the_cost_replaces_it_at_once():
    made = costs(w0=0.1)
    made.learn("w0", 3.0, 0.1)
    assert made.cost_s("w0", 0.1) == 3.0


@pytest.mark.parametrize("after_s", [0.0, 1.0, 10.0, 60.0])
def test_a_sample_below_the_cost_draws_it_down_by_age(after_s):
    made = costs(w0=3.0)
    made.learn("w0", 0.1, after_s)
    left = exp(-after_s / TAU_S)
    assert made.cost_s("w0", after_s) == pytest.approx(3.0 * left + 0.1 * (1 - left))


def test_an_idle_worker_tends_to_its_peers_and_not_to_nothing():
    made = costs(w0=5.0, w1=0.1, w2=0.2, w3=0.3)
    assert made.cost_s("w0", 0.0) == 5.0
    assert made.cost_s("w0", 10.0) == pytest.approx(0.2 + 4.8 * exp(-1))
    assert made.cost_s("w0", 55.0) == pytest.approx(0.2, abs=0.03)


def test_of_two_workers_the_slow_one_tends_to_the_other_and_not_to_the_mean():
    made = costs(w0=5.0, w1=0.1)
    assert made.cost_s("w0", 55.0) == pytest.approx(0.1, abs=0.03)


def test_a_new_worker_costs_what_its_peers_cost():
    assert costs(w0=0.1, w1=0.2, w2=0.3).cost_s("new", 0.0) == pytest.approx(0.2)
    made = PeakCosts(TAU_S)
    assert made.cost_s("new", 0.0) == UNKNOWN_S
    made.learn("w0", 0.1, 0.5)
    assert made.cost_s("new", 0.5) == 0.1


def test_a_lower_bound_counts_only_above_the_cost():
    made = costs(w0=1.0, w1=1.0)
    made.learn_at_least("w0", 0.5, 0.0)
    assert made.cost_s("w0", 0.0) == 1.0
    made.learn_at_least("w0", 2.0, 0.0)
    assert made.cost_s("w0", 0.0) == 2.0


def test_an_only_worker_keeps_its_cost():
    assert costs(w0=5.0).cost_s("w0", 30.0) == 5.0
