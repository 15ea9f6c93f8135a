from math import inf

import pytest

from harness.judging.verdict import judge
from tests.harness.judging.compared.handmade import Fate, Plan, fault
from tests.harness.judging.synthetic import CONTAINED, judged


def caller(result, name):
    return next(caller for caller in result.callers if caller.name == name)


def test_a_callers_own_bound_is_five_times_its_median_and_never_below_a_tenth_of_a_second():
    result = judged()
    assert caller(result, "chat").good_within_s == pytest.approx(5 * 0.49, rel=0.05)
    assert caller(result, "local_api").good_within_s == 0.1


def test_refusing_does_not_look_like_speed():
    """A quarter of the requests fail at once: successes look fast, all of them together do not."""
    metrics = caller(judged(kind="killed"), "chat").metrics
    assert metrics["e2e_s.p90_ok"].during < 0.6
    assert metrics["e2e_s.p90_all"].during == inf
    assert metrics["drop_ratio"].during == pytest.approx(0.25, abs=0.06)
    assert metrics["goodput_ratio"].during == pytest.approx(1 - metrics["drop_ratio"].during)


def test_streams_are_timed_by_token():
    metrics = caller(judged(**CONTAINED), "chat").metrics
    assert metrics["tpot_s.p50_ok"].before == pytest.approx(0.03, rel=0.01)
    assert metrics["max_gap_s.p50_ok"].before == pytest.approx(0.03, rel=0.01)
    assert metrics["ttft_s.p50_all"].before == pytest.approx(0.045, rel=0.2)
    assert metrics["good_tokens_per_s"].before == pytest.approx(15 * 16, rel=0.25)


def test_local_requests_have_no_tokens_to_time():
    metrics = caller(judged(), "local_api").metrics
    assert metrics["ttft_s.p50_all"].before is None
    assert metrics["tpot_s.p50_ok"].before is None


def test_our_own_lag_is_in_the_latency_but_not_in_the_service_time():
    metrics = caller(judged(kind=None, lag_s=0.2), "local_front").metrics
    assert metrics["dispatch_delay_s.p99"].before == pytest.approx(0.2)
    assert metrics["e2e_s.p99_all"].before == pytest.approx(0.202)
    assert metrics["e2e_service_s.p99_all"].before == pytest.approx(0.002)


def test_outcomes_cover_the_whole_run():
    result = judged(**CONTAINED)
    counts = [caller.outcomes for caller in result.callers]
    assert sum(sum(each.values()) for each in counts) == result.offered == sum(result.outcomes.values())


def test_where_nobody_was_answered_the_first_token_never_came():
    def fates(name, number, at_s):
        return Fate(kind="error" if name == "chat" and fault(at_s) else "ok")

    result = judge(Plan(faulted=True, fates=fates).history())
    assert caller(result, "chat").metrics["ttft_s.p90_all"].during == inf
    assert caller(result, "chat").metrics["ttft_s.p90_ok"].during is None
