"""The state machine, with plain numbers."""

import random

import pytest

from policies.breakers.circuit import Circuit, CircuitRules, Phase
from policies.breakers.rolling_window import Counts
from policies.evidence import Evidence

RULES = CircuitRules(min_calls=4, open_s=10, max_open_s=40, jitter_ratio=0)
NONE_SLOW = ()


def circuit(rules=RULES):
    return Circuit(rules, random.Random(0))


def opened(rules=RULES, at_s=0.0):
    made = circuit(rules)
    for _ in range(rules.min_calls):
        made.record(Evidence.FAILURE, at_s)
    return made


@pytest.mark.parametrize(
    ("counts", "combined", "apart"),
    [
        (Counts(3, 3, 0), False, False),
        (Counts(4, 1, 0), False, False),
        (Counts(4, 2, 0), True, True),
        (Counts(4, 0, 2), True, True),
        # a quarter failed and a quarter slow is half bad
        (Counts(4, 1, 1), True, False),
        (Counts(100, 49, 0), False, False),
    ],
)
def test_opens_at_the_share_that_the_rules_name(counts, combined, apart):
    # report 31: resilience4j#667
    assert RULES.trips(counts) is combined
    assert CircuitRules(min_calls=4, combined=False).trips(counts) is apart


def test_shares_with_unequal_limits_add_up_by_how_far_each_has_come():
    rules = CircuitRules(min_calls=1, failure_ratio=0.1, slow_ratio=0.5)
    assert not rules.trips(Counts(100, 0, 40))
    assert rules.trips(Counts(100, 2, 40))


def test_opens_at_exactly_its_share_whatever_floating_point_makes_of_it():
    for percent in range(1, 101):
        rules = CircuitRules(failure_ratio=percent / 100, combined=False)
        assert rules.trips(Counts(100, percent, 0))
        assert not rules.trips(Counts(100, percent - 1, 0))


def test_says_nothing_below_the_floor_of_calls():
    made = circuit()
    for _ in range(3):
        made.record(Evidence.FAILURE, 0.0)
    assert made.phase(0.0) is Phase.CLOSED
    made.record(Evidence.FAILURE, 0.0)
    assert made.phase(0.0) is Phase.OPEN


def test_goes_round_closed_open_half_open_closed():
    made = opened()
    assert [made.phase(t) for t in (0.0, 9.9, 10.0, 500.0)] == [
        Phase.OPEN,
        Phase.OPEN,
        Phase.HALF_OPEN,
        Phase.HALF_OPEN,
    ]
    made.record(Evidence.SUCCESS, 12.0)
    assert made.phase(12.0) is Phase.CLOSED


@pytest.mark.parametrize("evidence", [Evidence.FAILURE, Evidence.SLOW])
def test_a_failed_or_slow_probe_reopens(evidence):
    made = opened()
    made.record(evidence, 12.0)
    assert made.phase(12.0) is Phase.OPEN


def test_evidence_of_nothing_changes_nothing():
    made = circuit()
    for _ in range(100):
        made.record(Evidence.NOTHING, 0.0)
    assert (made.phase(0.0), made.epoch) == (Phase.CLOSED, 0)
    reopened = opened()
    reopened.record(Evidence.NOTHING, 12.0)
    assert reopened.phase(12.0) is Phase.HALF_OPEN


# BerriAI/litellm#40130: a second, longer cooldown kept the first one's end
def test_each_reopening_lasts_longer_from_its_own_start_up_to_the_longest():
    made, lasted, now = opened(), [], 0.0
    for _ in range(5):
        until_s = made.open_until_s(now)
        lasted.append(until_s - now)
        now = until_s + 1
        made.record(Evidence.FAILURE, now)
    assert lasted == [10, 20, 40, 40, 40]


def test_a_recovery_starts_the_times_afresh():
    made = opened()
    made.record(Evidence.FAILURE, 10.0)
    made.record(Evidence.SUCCESS, 30.0)
    for _ in range(4):
        made.record(Evidence.FAILURE, 40.0)
    assert made.open_until_s(40.0) == 50.0


def test_jitter_only_shortens_and_is_repeatable_from_the_seed():
    rules = CircuitRules(min_calls=1, open_s=10, max_open_s=10, jitter_ratio=0.2)
    times = [[opened_until(rules, seed) for seed in range(200)] for _ in range(2)]
    assert times[0] == times[1]
    assert min(times[0]) < 8.1
    assert 9.9 < max(times[0]) <= 10


def opened_until(rules, seed):
    made = Circuit(rules, random.Random(seed))
    made.record(Evidence.FAILURE, 0.0)
    return made.open_until_s(0.0)


def test_a_very_long_row_of_reopenings_is_no_overflow():
    assert RULES.draw_open_s(10**6, random.Random(0)) == 40


@pytest.mark.parametrize("permits", [1, 3])
def test_half_open_closes_after_as_many_successes_as_it_has_permits(permits):
    rules = CircuitRules(min_calls=4, open_s=10, jitter_ratio=0, half_open_permits=permits)
    made = opened(rules)
    for success in range(permits):
        assert made.permits(12.0, NONE_SLOW, probes=0) == permits - success
        assert made.phase(12.0) is Phase.HALF_OPEN
        made.record(Evidence.SUCCESS, 12.0)
    assert made.phase(12.0) is Phase.CLOSED


def test_successes_before_a_failed_probe_do_not_count_the_next_time():
    made = opened(CircuitRules(min_calls=4, open_s=10, jitter_ratio=0, half_open_permits=3))
    made.record(Evidence.SUCCESS, 12.0)
    made.record(Evidence.FAILURE, 12.0)
    assert made.permits(40.0, NONE_SLOW, probes=0) == 3


def test_probes_that_are_out_hold_their_permits():
    made = opened()
    assert [made.permits(12.0, NONE_SLOW, probes) for probes in (0, 1)] == [1, 0]
    assert made.permits(5.0, NONE_SLOW, 0) == 0
    assert circuit().permits(0.0, NONE_SLOW, 1000) == float("inf")


def test_slow_attempts_in_flight_open_it_as_of_the_moment_the_last_needed_became_slow():
    made, slow_since = circuit(), (5.0, 2.0, 4.0, 3.0)
    assert made.phase(5.0, slow_since[:3]) is Phase.CLOSED
    assert made.phase(5.0, slow_since) is Phase.OPEN
    assert made.open_until_s(9.0, slow_since) == 15.0
    assert made.phase(15.0, slow_since) is Phase.HALF_OPEN
    assert made.permits(15.0, slow_since, probes=4) == 1, "they are no probes: they started before it opened"


def test_attempts_in_flight_weigh_against_those_that_ended_well():
    made = circuit()
    for _ in range(4):
        made.record(Evidence.SUCCESS, 1.0)
    assert made.phase(2.0, (1.5,) * 3) is Phase.CLOSED
    assert made.phase(2.0, (1.5,) * 4) is Phase.OPEN


def test_looking_changes_nothing_and_settling_makes_it_last():
    made, slow_since = circuit(), (1.0,) * 4
    for now in (2.0, 50.0, 3.0):
        made.phase(now, slow_since)
        made.permits(now, slow_since, 0)
    assert (made.epoch, made.phase(3.0)) == (0, Phase.CLOSED)
    made.settle(3.0, slow_since)
    assert (made.epoch, made.phase(3.0), made.open_until_s(3.0)) == (1, Phase.OPEN, 11.0)


def test_a_probe_in_flight_past_its_bound_reopens_for_longer():
    made = opened()
    assert made.phase(12.5, (12.2,)) is Phase.OPEN
    made.settle(12.5, (12.2,))
    assert made.open_until_s(12.5) == pytest.approx(12.2 + 20)


def test_of_several_slow_probes_the_first_to_be_slow_reopens():
    assert opened().open_until_s(13.0, (12.5, 12.2)) == pytest.approx(12.2 + 20)


def test_every_opening_and_closing_starts_an_epoch():
    made = opened()
    assert made.epoch == 1
    made.record(Evidence.FAILURE, 12.0)
    made.record(Evidence.SUCCESS, 40.0)
    assert made.epoch == 3


def test_what_led_to_an_opening_is_forgotten_after_the_recovery():
    made = opened()
    made.record(Evidence.SUCCESS, 10.0)
    for _ in range(3):
        made.record(Evidence.FAILURE, 10.0)
    assert made.phase(10.0) is Phase.CLOSED
