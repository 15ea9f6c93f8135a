"""The yardstick: what attempts take at the other workers."""

import pytest

from policies.peers import Peers

WORKERS = ("w0", "w1", "w2", "w3")


def filled(slow=1.0, size=10, per=0.1, times=20):
    peers = Peers(span_s=30.0)
    for tick in range(times):
        for worker in WORKERS:
            peers.add(worker, size, per * (slow if worker == "w0" else 1.0), tick * 0.1)
    return peers


def test_a_worker_like_its_peers_has_ratio_one_and_a_slow_one_its_factor():
    peers = filled(slow=5.0)
    assert peers.ratio("w0", 2.0) == pytest.approx(5.0)
    assert [peers.ratio(worker, 2.0) for worker in WORKERS[1:]] == pytest.approx([1.0] * 3)


def test_what_is_typical_elsewhere_leaves_the_worker_itself_out():
    peers = Peers(span_s=30.0)
    peers.add("w0", 10, 9.0, 0.0)
    peers.add("w1", 10, 1.0, 0.0)
    assert peers.elsewhere_s("w0", 10, 0.5, 0.0) == 1.0
    assert peers.elsewhere_s("w1", 10, 0.5, 0.0) == 9.0
    assert peers.elsewhere_s("w2", 10, 0.5, 0.0) == 5.0
    assert peers.elsewhere_s("w0", 5000, 0.5, 0.0) is None


def test_the_median_over_the_others_holds_against_any_one_of_them():
    peers = Peers(span_s=30.0)
    for worker, seconds in zip("abcde", (1.0, 2.0, 3.0, 4.0, 100.0), strict=True):
        peers.add(worker, 1, seconds, 0.0)
    found = {worker: peers.elsewhere_s(worker, 1, 0.5, 0.0) for worker in "abcde"}
    assert found == {"a": 3.5, "b": 3.5, "c": 3.0, "d": 2.5, "e": 2.5}


# resilience4j#1477: prompts of 10 and 10,000 tokens at the same speed per token
def test_long_prompts_do_not_look_like_slow_workers():
    peers = filled(size=10, per=0.1)
    for tick in range(20):
        for worker in WORKERS[:2]:
            peers.add(worker, 10_000, 9.0, tick * 0.1)
    assert [peers.ratio(worker, 2.0) for worker in WORKERS] == pytest.approx([1.0] * 4)


def test_attempts_in_flight_count_once_they_are_older_than_is_typical():
    peers = filled()
    assert peers.ratio("w0", 2.0, [(10, 0.05)] * 50) == pytest.approx(1.0)
    assert peers.ratio("w0", 2.0, [(10, 1.0)] * 50) == pytest.approx(10.0)


def test_old_samples_and_forgotten_workers_say_nothing():
    peers = filled()
    assert peers.samples("w1", 2.0) == 20
    assert peers.samples("w1", 100.0) == 0
    peers = filled(slow=5.0)
    peers.forget("w0")
    assert peers.ratio("w0", 2.0) is None


# fact 3 of the survey: a baseline of one's own past absorbs a lasting fault
def test_a_lasting_fault_of_one_keeps_its_ratio_however_long_it_lasts():
    peers = Peers(span_s=30.0)
    for tick in range(10_000):
        for worker in WORKERS:
            peers.add(worker, 10, 0.5 if worker == "w0" else 0.1, tick * 0.2)
    assert peers.ratio("w0", 2000.0) == pytest.approx(5.0)


def test_a_sample_of_now_is_not_drowned_by_a_long_past():
    peers = filled(times=20)  # until 1.9 s
    for tick in range(5):
        peers.add("w0", 10, 0.5, 10.0 + tick * 0.1)
    assert peers.ratio("w0", 11.0) == pytest.approx(1.0)
    assert peers.ratio("w0", 11.0, since_s=9.0) == pytest.approx(5.0)


def test_older_samples_count_only_as_far_as_there_would_be_too_few():
    peers = filled(times=20)
    for tick in range(5):
        peers.add("w0", 10, 0.5, 10.0 + tick * 0.1)
    assert peers.ratio("w0", 11.0, since_s=9.0, least=8) == pytest.approx(5.0), "five of eight are slow"
    assert peers.ratio("w0", 11.0, since_s=9.0, least=20) == pytest.approx(1.0)
    assert peers.ratio("w0", 11.0, since_s=9.0, least=26) is None


def test_another_quantile_of_the_peers_is_another_yardstick():
    peers = Peers(span_s=30.0)
    for number in range(10):
        peers.add("w1", 10, 0.1 * (number + 1), 0.0)
        peers.add("w0", 10, 1.0, 0.0)
    assert peers.ratio("w0", 0.0, quantile=0.9) == pytest.approx(1.0 / 0.9)
    assert peers.ratio("w0", 0.0, quantile=0.0) == pytest.approx(10.0)


def test_a_size_of_two_parts_is_compared_in_both():
    peers = Peers(span_s=30.0)
    for worker in WORKERS:
        for size, seconds in (((10, 1), 0.1), ((10, 8), 0.4), ((1000, 1), 2.0)):
            peers.add(worker, size, seconds, 0.0)
    assert [peers.ratio(worker, 0.0) for worker in WORKERS] == pytest.approx([1.0] * 4)
    assert peers.elsewhere_s("w0", (12, 9), 0.5, 0.0) == 0.4
    assert peers.elsewhere_s("w0", (10, 16), 0.5, 0.0) is None


def test_only_where_the_size_hardly_matters_the_nearest_stands_in_for_one_that_nobody_else_has():
    for near, expected in ((True, 4.0), (False, None)):
        peers = Peers(span_s=30.0, near=near)
        peers.add("w0", 64, 0.8, 0.0)
        peers.add("w1", 1, 0.1, 0.0)
        peers.add("w1", 8, 0.2, 0.0)
        assert peers.ratio("w0", 0.0) == (None if expected is None else pytest.approx(expected))


def test_of_two_sizes_as_near_the_larger_stands_in():
    peers = Peers(span_s=30.0, near=True)
    peers.add("w0", 8, 0.8, 0.0)
    peers.add("w1", 4, 0.1, 0.0)
    peers.add("w1", 16, 0.2, 0.0)
    assert peers.ratio("w0", 0.0) == pytest.approx(4.0)
