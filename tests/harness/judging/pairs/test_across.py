from math import inf

import pytest

from harness.judging.pairs.across import comparable, measures_across
from harness.judging.result import Measure
from tests.harness.judging.pairs.made import measure

ERROR = 0.1


def across(*pairs):
    return measures_across([list(pair) for pair in pairs], ERROR)


def test_ratios_are_compared_as_logarithms_and_shares_as_they_are():
    ratio, share = across(*([measure(v), measure(v, "goodput_loss")] for v in (0.25, 1, 4)))
    assert ratio.value == pytest.approx(1)
    assert share.value == pytest.approx((1 + 2.125) / 2)  # the middle of 0.25, 0.625, 1, 2.125, 2.5, 4


@pytest.mark.parametrize("name", ["queue_growth", "healthy_attempts", "excess_loss", "residual_impact"])
def test_what_divides_two_figures_is_a_ratio(name):
    (found,) = across(*([measure(v, name)] for v in (0.5, 2.0)))
    assert found.value == pytest.approx(1)


@pytest.mark.parametrize("name", ["time_to_recover_s", "containment_ratio", "wasted_token_excess"])
def test_what_subtracts_or_counts_is_none(name):
    (found,) = across(*([measure(v, name)] for v in (0.5, 2.0)))
    assert found.value == pytest.approx(1.25)


def test_what_never_ended_in_most_pairs_never_ends_and_is_stored_as_such():
    (found,) = across(*([measure(v, "time_to_recover_s")] for v in (2.0, inf, inf, inf, inf, inf)))
    assert (found.value, found.upper) == (inf, inf)
    assert Measure.model_validate_json(found.model_dump_json()) == found
    (rarely,) = across(*([measure(v, "time_to_recover_s")] for v in (2.0, 2.0, 2.0, 2.0, 2.0, inf)))
    assert rarely.value == 2
    assert rarely.upper == inf


def test_what_one_pair_does_not_have_is_none_of_all():
    assert across([measure(1.0), measure(1.0, "goodput_loss")], [measure(1.0)]) == across(
        *[[measure(1.0)]] * 2
    )


def test_metastable_once_is_metastable_even_where_another_pair_could_not_tell():
    stuck, fine = (measure(v, "metastable", mild=0.0) for v in (1.0, 0.0))
    (found,) = across([fine], [stuck], [fine], [])
    assert found.value == 1
    assert found.proved
    (none,) = across([fine], [fine])
    assert not none.proved


def test_the_median_decides_and_the_highest_quantile_that_all_pairs_have():
    def at(*quantiles):
        return [measure(1.0, quantile=q, deciding=q in (0.5, quantiles[-1])) for q in quantiles]

    found = across(at(0.5, 0.9, 0.95, 0.99), at(0.5, 0.9, 0.95))
    assert [(m.quantile, m.deciding) for m in found] == [(0.5, True), (0.9, False), (0.95, True)]


def test_a_diagnostic_with_quantiles_never_decides():
    (found,) = across(*[[measure(1.0, "untouched_inflation", quantile=0.5, deciding=False)]] * 3)
    assert not found.deciding


def test_what_nobody_saw_the_end_of_is_proved_for_as_long_as_they_looked():
    never = [[lasting(inf, lower=6.0)] for _ in range(8)]
    (found,) = measures_across(never, 0.05)
    assert (found.value, found.lower, found.upper) == (inf, 6.0, inf)


def test_a_queue_that_did_not_grow_in_its_pairs_has_not_grown_in_all():
    longer = [[lasting(3.0, lower=1.0, name="queue_growth", mild=2.0)] for _ in range(8)]
    (found,) = measures_across(longer, 0.05)
    assert found.value == pytest.approx(3.0)
    assert not found.proved


def test_pairs_are_compared_by_the_measures_that_all_of_them_have():
    few, many = [latency(q) for q in (0.5, 0.95)], [latency(q) for q in (0.5, 0.95, 0.99)]
    for found in comparable([few, many]):
        assert [(each.quantile, each.deciding) for each in found] == [(0.5, True), (0.95, True)]
    assert comparable([]) == []


def lasting(value, *, lower, name="time_to_recover_s", mild=3.0):
    return Measure(
        name=name, about="all", value=value, lower=lower, upper=value, mild=mild, severe=9.0, deciding=False
    )


def latency(q):
    return Measure(
        name="latency_inflation", about="tenant", quantile=q, value=1.0, lower=1.0, upper=1.0,
        mild=1.25, severe=2.0, deciding=q in (0.5, 0.99),
    )  # fmt: skip
