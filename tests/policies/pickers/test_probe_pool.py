"""The hot/cold rule, with plain numbers."""

import random
from math import inf

import pytest

from policies.pickers.probe_pool import RECENT, SIZE, Probe, ProbePool, reuse_budget, rounded


def pool(*answers, q_rif=0.84, max_age_s=1.0):
    """Workers that said (requests in flight, latency) at 0 s."""
    made = ProbePool(max_age_s, q_rif)
    for number, (in_flight, latency_s) in enumerate(answers):
        made.add(Probe(f"w{number}", in_flight, latency_s, 0.0))
    return made


def best(made, weight=lambda probe: 1.0):
    return made.best(made.fresh(0.0), weight).worker


def test_among_the_cold_the_quickest_is_taken_even_if_it_holds_more():
    assert best(pool((4, 0.3), (6, 0.1), (5, 0.2), (9, 0.01), (9, 0.01), (9, 0.01))) == "w3"
    assert best(pool((4, 0.3), (6, 0.1), (5, 0.2), (9, 0.01), q_rif=0.75)) == "w1"


def test_a_hot_worker_is_not_taken_for_its_low_latency():
    made = pool((1, 0.5), (2, 0.6), (20, 0.001), q_rif=0.5)
    assert made.hot_above == 2
    assert best(made) == "w0"


def test_where_all_are_hot_the_one_with_the_fewest_in_flight_is_taken():
    made = pool(*[(1, 0.1)] * 14)
    for number, in_flight in enumerate((9, 7, 8)):
        made.add(Probe(f"hot{number}", in_flight, 0.1 * number, 0.0))
    hot = [probe for probe in made.fresh(0.0) if probe.worker.startswith("hot")]
    assert made.best(hot, lambda probe: 1.0).worker == "hot1"


def test_a_worker_that_has_answered_nobody_yet_counts_as_typical():
    assert best(pool((1, 0.1), (1, None), (1, 0.3))) == "w0"
    assert best(pool((1, 0.2), (0, None))) == "w1", "as quick as the other, and idle"
    assert best(pool((1, None), (0, None))) == "w1"


def test_half_the_weight_counts_as_twice_the_latency_or_twice_the_load():
    def half_for_w0(probe):
        return 0.5 if probe.worker == "w0" else 1.0

    assert best(pool((1, 0.2), (1, 0.3)), half_for_w0) == "w1"
    made = pool((4, 0.1), (6, 0.1), q_rif=0.84)
    for _ in range(50):
        made.add(Probe("cold", 1, 0.1, -5.0))
    assert best(made, half_for_w0) == "w1"
    assert best(made) == "w0"


def test_answers_age_out():
    made = pool((1, 0.1), max_age_s=2.0)
    made.add(Probe("w1", 1, 0.1, 1.5))
    assert [probe.worker for probe in made.fresh(2.0)] == ["w0", "w1"]
    assert [probe.worker for probe in made.fresh(2.1)] == ["w1"]
    assert made.fresh(4.0) == []


def test_a_newer_answer_replaces_that_of_the_same_worker_and_the_oldest_goes_where_there_is_no_room():
    made = pool(*[(1, 0.1)] * SIZE)
    made.add(Probe("w3", 7, 0.1, 0.0))
    assert len(made.fresh(0.0)) == SIZE
    assert [probe.in_flight for probe in made.fresh(0.0) if probe.worker == "w3"] == [7]
    made.add(Probe("new", 1, 0.1, 0.0))
    assert [probe.worker for probe in made.fresh(0.0)] == [
        *(f"w{n}" for n in range(1, 16) if n != 3),
        "w3",
        "new",
    ]


def test_an_answer_counts_the_requests_sent_since_and_is_dropped_once_used_up():
    made = pool()
    probe = Probe("w0", 3, 0.1, 0.0, uses=2)
    made.add(probe)
    made.use(probe)
    assert [each.in_flight for each in made.fresh(0.0)] == [4]
    made.use(probe)
    assert made.fresh(0.0) == []


def test_using_an_answer_that_a_newer_one_has_replaced_does_not_drop_the_newer():
    made = pool()
    old, new = Probe("w0", 3, 0.1, 0.0, uses=1), Probe("w0", 3, 0.1, 0.0, uses=1)
    made.add(old)
    made.add(new)
    made.use(old)
    assert made.fresh(0.0) == [new]


def test_the_worst_and_the_oldest_are_removed_in_turn():
    made = pool((1, 0.1), (1, 0.9), (1, 0.2), (1, 0.3))
    seen = []
    for _ in range(5):
        seen.append([probe.worker for probe in made.fresh(0.0)])
        made.remove_one()
    assert seen == [["w0", "w1", "w2", "w3"], ["w0", "w2", "w3"], ["w2", "w3"], ["w2"], []]


def test_the_worst_is_the_fullest_of_the_hot_before_the_slowest():
    made = pool((1, 0.9), (30, 0.1), (20, 0.1), *[(1, 0.1)] * 12)
    assert made.worst(made.fresh(0.0)).worker == "w1"


@pytest.mark.parametrize(("q_rif", "above"), [(0.0, 1), (0.5, 50), (0.84, 84), (1.0, 100)])
def test_hot_is_above_the_quantile_of_recent_answers(q_rif, above):
    made = ProbePool(1.0, q_rif)
    numbers = list(range(1, 101))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        made.add(Probe("w0", number, 0.1, 0.0))
    assert made.hot_above == above


def test_what_is_recent_is_bounded_and_what_was_high_is_forgotten():
    made = ProbePool(1.0, 0.84)
    for in_flight in (*[90] * RECENT, *[2] * RECENT):
        made.add(Probe("w0", in_flight, 0.1, 0.0))
    assert made.hot_above == 2


def test_without_answers_nobody_is_hot():
    assert ProbePool(1.0, 0.84).hot_above == inf


@pytest.mark.parametrize(
    ("workers", "probes", "removed", "budget"),
    [
        (160, 3, 1, 2 / (0.9 * 3 - 1)),
        (10**6, 3, 1, 2 / (0.999984 * 3 - 1)),
        (32, 3, 1, 4.0),
        (160, 3, 0, 1.0),
        (4, 3, 1, inf),
        (16, 3, 1, inf),
        (24, 3, 1, inf),
        (100, 1, 1, inf),
    ],
)
def test_reuse_budget(workers, probes, removed, budget):
    assert reuse_budget(workers, probes, removed) == pytest.approx(budget)


def test_a_budget_is_rounded_by_chance_to_its_mean():
    rng = random.Random(1)
    drawn = [rounded(1.25, rng) for _ in range(8000)]
    assert set(drawn) == {1, 2}
    assert sum(drawn) / 8000 == pytest.approx(1.25, abs=0.02)
    assert rounded(inf, rng) == inf
