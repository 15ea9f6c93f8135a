"""Envoy's admission control."""

import asyncio
import math

import pytest

from policies.call import Call
from policies.outcome import OK, Kind, Outcome
from policies.throttles.admission_control import AdmissionControl, reject_ratio

FAILED = Outcome(kind=Kind.ERROR, status=500)


@pytest.mark.parametrize(
    ("calls", "ok", "aggression", "ratio"),
    [
        (0, 0, 1, 0),
        (100, 100, 1, 0),
        (100, 95, 1, 0),
        (99, 0, 1, 0.99),
        (99, 47.5, 1, 0.49),
        (99, 47.5, 2, 0.7),
        (100, 100, math.inf, 0),
        (99, 47.5, math.inf, 1),
    ],
)
def test_the_share_to_refuse_is_the_formula(calls, ok, aggression, ratio):
    assert reject_ratio(calls, ok, 0.95, aggression) == pytest.approx(ratio)


async def test_a_success_rate_at_the_threshold_refuses_nothing(backend, refused_ratio):
    control = AdmissionControl(window_s=1000)
    pool = backend(control)
    outcomes = []
    for number in range(200):
        pool.ending = FAILED if number % 20 == 19 else OK
        outcomes.append(await control.run(Call(id="c", seed=str(number)), pool))
    assert refused_ratio(outcomes) == 0


async def test_however_bad_it_is_a_share_still_passes(backend, offer, refused_ratio):
    control = AdmissionControl()
    pool = backend(control)
    pool.ending = FAILED
    await offer(control, pool, per_s=50, for_s=10)
    later = await offer(control, pool, per_s=50, for_s=20, purpose="later")
    assert refused_ratio(later) == pytest.approx(0.8, abs=0.05)
    refused = next(outcome for outcome in later if outcome.kind is Kind.REJECTED)
    assert (refused.phase, refused.by, refused.status) == ("admission", "admission_control", 503)


async def test_a_pool_that_is_well_again_gets_its_calls_back(backend, offer, refused_ratio):
    control = AdmissionControl()
    pool = backend(control)
    pool.ending = FAILED
    await offer(control, pool, per_s=20, for_s=30)
    pool.ending = OK
    await offer(control, pool, per_s=20, for_s=60, purpose="recovery")
    assert refused_ratio(await offer(control, pool, per_s=20, for_s=10, purpose="after")) == 0


async def test_its_own_refusals_are_no_evidence(backend, offer):
    control = AdmissionControl(window_s=1000)
    pool = backend(control)
    pool.ending = FAILED
    await offer(control, pool, per_s=50, for_s=10)
    assert control._window.judged == pool.served < 500


async def test_with_few_calls_a_second_nothing_is_refused(backend, offer, refused_ratio):
    control = AdmissionControl(rps_threshold=5)
    pool = backend(control)
    pool.ending = FAILED
    assert refused_ratio(await offer(control, pool, per_s=4, for_s=60)) == 0
    assert refused_ratio(await offer(control, pool, per_s=10, for_s=60)) > 0.3


async def test_callers_who_leave_and_requests_that_were_wrong_are_not_held_against_the_pool(backend):
    control = AdmissionControl()
    pool = backend(control)
    for pool.ending in (Outcome(kind=Kind.ABANDONED), Outcome(kind=Kind.ERROR, status=404)):
        for _ in range(20):
            await control.run(Call(id="c"), pool)
    task = asyncio.create_task(control.run(Call(id="c"), pool))
    await asyncio.sleep(0.1)
    task.cancel()
    await asyncio.wait([task])
    assert (control._window.judged, control._window.accepted) == (20, 20)


async def test_it_does_not_see_slowness(backend, offer, refused_ratio):
    control = AdmissionControl()
    pool = backend(control)
    pool.takes_s = 50.0
    assert refused_ratio(await offer(control, pool, per_s=5, for_s=120)) == 0
