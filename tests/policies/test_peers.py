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
