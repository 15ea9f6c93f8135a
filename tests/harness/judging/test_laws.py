"""Which law holds of which quantity, on one load: 3.75 requests/s at a worker that carries 16.7."""

from math import inf

import pytest
from msgspec.structs import replace

from harness.judging import law
from harness.judging.bite import measure_bite
from harness.judging.effects import MEASURES
from harness.judging.laws import LAWS
from harness.judging.load import fills_first, measure_load
from harness.judging.pressure import traffic
from harness.judging.requests import join
from harness.judging.windows import timeline
from tests.harness.judging.synthetic import CHAT, LOCAL_API, LOCAL_FRONT, TENANT, simulate


def told(quantity, measured, slow_factor=1.0, held_s=None, **changes):
    history = simulate(fault_s=4.0, recovery_s=1.0, **changes)
    times, requests = timeline(history), join(history)
    load = measure_load(history, requests, times.before(), {"worker 2"})
    service = fills_first(traffic(history), history.setup.callers, times.before(), load.share)
    bite = measure_bite(history, times).model_copy(
        update={"quantity": quantity, "measured": measured, "slow_factor": slow_factor, "held_s": held_s}
    )
    return law.predict(history.setup, load, service, bite)


def test_every_quantity_that_is_measured_has_a_law():
    assert set(LAWS) == set(MEASURES)


@pytest.mark.parametrize("quantity", ["decode step time", "added step time", "compute time"])
def test_whatever_makes_steps_slow_what_counts_is_how_slow_they_are_as_a_whole(quantity):
    found = told(quantity, 99.0, slow_factor=10.0)
    assert found.rho_s == pytest.approx(3.75 / 16.67 * 10, rel=0.1)
    assert found.must_fill
    assert told(quantity, 99.0, slow_factor=None).words.startswith("no law: no step of worker 2")


@pytest.mark.parametrize(("share", "factor"), [(0.5, 2.0), (0.9, 10.0)])
def test_who_stands_still_for_a_share_of_the_time_has_the_rest(share, factor):
    found = told("stalled share", share)
    assert found.slow_factor == pytest.approx(factor)
    assert found.must_fill is (factor > 5)


def test_slots_that_are_lost_shrink_the_capacity_and_slow_nobody():
    lost, usable = told("slots lost", 7.0), told("usable slots", 1.0)
    assert lost.rho_s == usable.rho_s == pytest.approx(3.75 / 16.67 * 8, rel=0.1)
    assert lost.must_fill
    some = told("slots lost", 2.0)
    assert some.must_fill is False
    assert some.slots_needed == pytest.approx(told("step time", 1.0).slots_needed)
    assert told("slots lost", 8.0).slow_factor == inf


@pytest.mark.parametrize("quantity", ["unanswered share", "silent share", "later tokens lost"])
def test_who_is_never_answered_holds_a_slot_until_there_is_none(quantity):
    found = told(quantity, 1.0)
    assert found.must_fill
    assert found.travel_s == pytest.approx(15 / 3.75, rel=0.25)
    assert "held until the fault ends" in found.words


def test_a_worker_holds_no_more_than_its_queue_and_a_link_whatever_comes():
    roomy = {"slots": (("front", 400), ("api", 300), ("gateway", None)), "max_queue": 64}
    assert told("stalled share", 1.0, **roomy).must_fill is False
    assert told("later tokens lost", 1.0, **roomy).slots_needed == pytest.approx(72 + 7, abs=2)
    assert told("silent share", 1.0, **roomy).slots_needed == inf


def test_of_some_connections_only_their_share_is_held():
    assert told("silent share", 0.5).travel_s == pytest.approx(2 * told("silent share", 1.0).travel_s)


def test_answers_that_come_later_hold_their_slots_for_longer():
    assert told("delay", 6.0).must_fill
    attempts = told("gap", 99.0, held_s=6.5)
    assert attempts.slots_needed == pytest.approx(told("delay", 6.0).slots_needed, rel=0.05)
    assert "no attempt at worker 2 ended" in told("gap", 1.0).words


def test_a_policy_hides_how_much_later_answers_would_come():
    hidden = told("gap", 1.0, held_s=1.0, preset="timeout")
    assert hidden.words == "no law: how much later whole answers are shows only without a policy"


@pytest.mark.parametrize("quantity", ["down", "down time", "failed share", "reset share", "health delay"])
def test_who_is_refused_or_served_as_ever_holds_nobody(quantity):
    assert told(quantity, 1.0).must_fill is False


def test_work_for_who_has_left_saturates_a_worker_that_what_is_read_would_not():
    long = tuple(replace(c, max_tokens=10 * c.max_tokens) for c in (CHAT, TENANT))
    found = told("kept after leaving", 1.0, callers=(*long, LOCAL_FRONT, LOCAL_API))
    assert found.rho_s == pytest.approx(3.75 / 16.67 * 10, rel=0.1)
    assert found.must_fill is None
    assert told("kept after leaving", 1.0).must_fill is False
