import pytest

from harness.judging.history import CallerSetup
from tests.harness.judging.synthetic import CONTAINED, LOCAL_API, LOCAL_FRONT, TENANT, judged


def chat(rate_rps):
    return CallerSetup(name="chat", hop="front", rate_rps=rate_rps, inference=True, max_tokens=16)


def test_a_saturated_worker_must_take_all_slots_when_predicted():
    law = judged().law
    assert law.rho_s == pytest.approx(3.75 / 16.67 * 10, rel=0.05)
    assert law.must_fill
    assert law.full_low_s < law.travel_s < law.full_high_s
    assert law.full_low_s <= law.measured_s <= law.full_high_s
    assert law.contradicted == ""


def test_one_faulted_worker_is_told_as_ever():
    assert judged().law.words == (
        "rho*s = 0.22 * 10.0 = 2.2 > 1: it must saturate; "
        "slots of api gone after the fault: predicted 2.7-7.3 s, measured 2.9 s"
    )


@pytest.mark.parametrize("seed", range(1, 9))
def test_measured_onsets_fall_into_the_prediction_of_their_own_run(seed):
    """By one standard deviation either way: a few of many runs may miss, half a bracket more none does."""
    law = judged(seed=seed).law
    assert 0.5 * law.full_low_s < law.measured_s < 1.5 * law.full_high_s


def test_the_service_with_the_fewest_free_slots_fills_first():
    assert judged().law.hop == "api"
    assert judged(slots=(("front", 16), ("api", 24), ("gateway", None))).law.hop == "front"


def test_a_mild_fault_need_not_fill_any_slots_and_does_not():
    law = judged(size=2.0).law
    assert law.rho_s < 0.9
    assert law.must_fill is False
    assert law.measured_s is None
    assert "keeps up" in law.words
    assert law.words.endswith("need not run out, and did not")


TWO = ("worker 1", "worker 2")


def test_several_faulted_workers_fill_the_slots_together():
    one, two = judged().law, judged(faulted=TWO).law
    assert two.arrivals_rps == pytest.approx(2 * one.arrivals_rps, rel=0.1)
    assert two.rho == pytest.approx(one.rho, rel=0.1)
    assert two.travel_s == pytest.approx(one.travel_s / 2, rel=0.25)
    assert "all 2 must saturate" in two.words
    assert two.must_fill
    assert two.full_low_s <= two.measured_s <= two.full_high_s
    assert two.contradicted == ""


def test_a_saturated_worker_takes_no_more_slots_than_its_queue_holds():
    law = judged(slots=(("front", 400), ("api", 300), ("gateway", None)), max_queue=64).law
    assert law.rho_s > 1.1
    assert law.slots_needed == pytest.approx(8 + 64 + 7, abs=2)
    assert law.must_fill is False
    assert law.travel_s is None
    assert "> 1: it must saturate, but its batch and queue hold at most 72 of the 29" in law.words
    assert law.contradicted == ""


def test_a_queue_that_holds_more_than_all_slots_changes_nothing():
    bounded, unbounded = judged(max_queue=256).law, judged().law
    assert bounded.slots_needed == pytest.approx(264 + 7, abs=2)
    assert bounded.model_copy(update={"slots_needed": unbounded.slots_needed}) == unbounded


def test_a_queue_about_as_long_as_there_are_free_slots_may_go_either_way():
    one, two = judged(max_queue=5).law, judged(max_queue=2, faulted=TWO).law
    assert one.must_fill is two.must_fill is None
    assert "its batch and queue hold at most 13 of the 17 free slots; slots of api may go either" in one.words
    assert "but their batches and queues hold at most 20 beside 19 free slots" in two.words


def test_near_saturation_a_short_queue_still_cannot_take_all_slots():
    law = judged(size=4.5, slots=(("front", 400), ("api", 300), ("gateway", None)), max_queue=64).law
    assert law.must_fill is False
    assert "near 1: may go either way, but its batch and queue" in law.words


def test_near_saturation_the_law_does_not_pretend_to_know():
    law = judged(size=4.5).law
    assert law.must_fill is None
    assert "either way" in law.words
    assert law.contradicted == ""


def test_a_delay_holds_slots_by_littles_law():
    law = judged(kind="link_latency", size=6.0).law
    assert law.slots_needed == pytest.approx(3.75 * 6.5 + 7, rel=0.1)
    assert law.must_fill
    assert "lambda*(W+delay)+rest" in law.words
    assert judged(kind="link_latency", size=1.0).law.must_fill is False


def test_a_dead_worker_holds_no_slot():
    law = judged(kind="killed").law
    assert law.must_fill is False
    assert "refuses at once" in law.words


def test_without_a_fault_there_is_no_law():
    assert judged(kind=None).law.words == "no fault: nothing to predict"


def test_laws_apply_to_the_preset_without_bounds_and_say_so_of_others():
    bounded = judged(**CONTAINED).law
    assert judged().law.applies
    assert not bounded.applies
    assert bounded.words.startswith("without a policy: rho*s")
    assert bounded.words.endswith("measured never")


def test_no_law_without_traffic_to_the_worker():
    law = judged(callers=(TENANT, LOCAL_FRONT, LOCAL_API)).law
    assert law.words.startswith("no law")


def test_load_beyond_the_capacity_left_is_stated():
    assert judged().law.unavoidable_loss_ratio == 0
    overfull = judged(kind="killed", callers=(chat(55.0), LOCAL_FRONT), baseline_s=5.0, fault_s=5.0).law
    assert overfull.unavoidable_loss_ratio == pytest.approx(1 - 50 / 55, abs=0.02)


def test_the_load_that_is_lost_counts_every_faulted_worker():
    changes = {"callers": (chat(45.0), LOCAL_FRONT), "baseline_s": 5.0, "fault_s": 5.0}
    assert judged(kind="killed", **changes).law.unavoidable_loss_ratio == 0
    lost = judged(kind="killed", faulted=TWO, **changes).law.unavoidable_loss_ratio
    assert lost == pytest.approx(1 - 33.3 / 45, abs=0.02)


def test_the_share_of_slots_follows_from_the_factor():
    share = 3.75 / 20
    assert judged(size=2.0).law.oracle_capture == pytest.approx(share * 2 / (share * 2 + 1 - share), rel=0.1)
