"""What first tokens take elsewhere, and when too little is known to say."""

import pytest

from policies.timers.first_tokens import FirstTokens

WORKERS = ("w0", "w1", "w2", "w3")


def filled(times=20, size=10, per=0.1, slow=1.0, least=20):
    seen = FirstTokens(span_s=60.0, least=least)
    for tick in range(times):
        for worker in WORKERS:
            seen.add(worker, size, per * (slow if worker == "w0" else 1.0), tick * 0.1)
    return seen


def test_the_other_workers_set_what_is_usual():
    seen = filled(slow=10.0)
    assert seen.elsewhere_s("w0", 10, 0.95, 2.0) == pytest.approx(0.1)
    assert seen.elsewhere_s("w1", 10, 0.95, 2.0) == pytest.approx(0.1), "one slow peer of three is outvoted"


def test_a_workers_own_samples_are_not_enough_for_it():
    seen = FirstTokens(span_s=60.0, least=20)
    for tick in range(50):
        seen.add("w0", 10, 0.1, tick * 0.1)
    assert seen.elsewhere_s("w0", 10, 0.95, 5.0) is None
    assert seen.elsewhere_s("w1", 10, 0.95, 5.0) == pytest.approx(0.1)


@pytest.mark.parametrize(("times", "known"), [(6, False), (7, True)])
def test_nothing_is_said_from_too_few_samples_elsewhere(times, known):
    assert (filled(times=times).elsewhere_s("w0", 10, 0.95, 2.0) is not None) is known


def test_prompts_of_another_length_say_nothing():
    seen = filled(size=10)
    assert seen.elsewhere_s("w0", 9, 0.95, 2.0) is not None
    assert seen.elsewhere_s("w0", 1000, 0.95, 2.0) is None
    seen.add("w1", 1000, 5.0, 2.0)
    assert seen.elsewhere_s("w0", 1000, 0.95, 2.0) is None


def test_old_samples_do_not_count():
    seen = filled()
    assert seen.elsewhere_s("w0", 10, 0.95, 59.0) is not None
    assert seen.elsewhere_s("w0", 10, 0.95, 70.0) is None
