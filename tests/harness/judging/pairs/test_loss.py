"""A loss of goodput is proved, or ruled out, no further than the requests of all pairs together reach."""

import pytest
from scipy.stats import binom

from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.evaluate import evaluate
from harness.judging.pairs.loss import open_loss
from harness.judging.result import Measure, Verdict
from tests.harness.judging.pairs.made import CALLER, objective, several

ERROR = 0.05
RATIO = "goodput_ratio"


def pairs(lost, offered):
    """What the tenant lost in each pair, of so many requests; all were good in the controls."""
    each = several(RATIO, [1 - share for share in lost], offered=offered)
    return [
        pair.model_copy(update={"fault": pair.fault.model_copy(update={"measures": [loss(share)]})})
        for pair, share in zip(each, lost, strict=True)
    ]


def loss(share):
    return Measure(
        name="goodput_loss", about=CALLER, value=share, lower=share, upper=share, mild=0.02, severe=0.1,
        deciding=True, before=1.0, during=1 - share,
    )  # fmt: skip


@pytest.mark.parametrize(("offered", "verdict"), [(20.0, "INCONCLUSIVE"), (40.0, "PASS")])
def test_none_lost_of_few_requests_does_not_rule_a_loss_out(offered, verdict):
    """0 of 160 in all: at 97.5 % sure at most 2.3 %."""
    calm = pairs([0.0] * 8, offered)
    cell = judge_cell(calm, ERROR)
    assert cell.verdict == verdict
    assert cell.measures[0].upper == pytest.approx(1 - 0.025 ** (1 / (8 * offered)))
    found = evaluate(objective("max", 0.02, "goodput_loss", of=""), calm, ERROR)
    assert found.verdict == verdict
    assert found.upper == pytest.approx(cell.measures[0].upper)


@pytest.mark.parametrize(("offered", "verdict"), [(20.0, "INCONCLUSIVE"), (400.0, "FAIL")])
def test_a_loss_in_every_pair_of_few_requests_is_not_proved(offered, verdict):
    lossy = pairs([0.04] * 8, offered)
    cell = judge_cell(lossy, ERROR)
    assert cell.verdict == verdict
    found = evaluate(objective("max", 0.02, "goodput_loss", of=""), lossy, ERROR)
    assert (found.verdict, found.lower > 0.02) == (verdict, verdict == "FAIL")


@pytest.mark.parametrize("lost", range(4, 17))
def test_a_system_on_its_limit_passes_no_more_often_than_nominal(lost):
    """By the pairs alone, of which most lost less than their mean, 9 % passed."""
    each = [(lost // 8 + (number < lost % 8)) / 100 for number in range(8)]
    found = evaluate(objective("max", 0.02, "goodput_loss", of=""), pairs(each, 100.0), ERROR)
    so_few = binom.cdf(lost, 800, 0.02)
    assert (found.verdict is Verdict.PASS) == (so_few <= ERROR / 2)


def test_what_the_control_loses_as_well_is_no_loss():
    both = several(RATIO, [0.9] * 8, [0.9] * 8, offered=400.0)
    lower, upper = open_loss(CALLER, both).bounds(ERROR)
    assert lower < 0 < upper
    assert open_loss(CALLER, several(RATIO, [0.0] * 8, [0.0] * 8)) is None
