from math import inf

import pytest

from harness.judging.figures import count, seconds, share
from harness.judging.result import Trend
from harness.reporting.cells import broken, trend


@pytest.mark.parametrize(
    ("values", "form", "shown"),
    [
        ((0.5, 0.49, 0.5), seconds, "0.50 | 0.49 | 0.50 s"),
        ((0.002, 5.5, 0.002), seconds, "2ms | 5.5s | 2ms"),
        ((0.002, None, 0.003), seconds, "2 | - | 3 ms"),
        ((0.5, inf, None), seconds, "0.50s | never | -"),
        ((1.0, 0.12, 0.66), share, "100 | 12 | 66 %"),
        ((9.1, 1234.0, 0.0), count, "9.1 | 1,234 | 0"),
        ((None, None, None), seconds, "- | - | -"),
    ],
)
def test_a_common_unit_is_written_once(values, form, shown):
    before, during, after = values
    assert trend(Trend(before=before, during=during, after=after), form).plain == shown


def test_a_metric_that_is_not_there_is_a_dash():
    assert trend(None, seconds).plain == "-"


@pytest.mark.parametrize(
    ("fault", "lines"),
    [
        ("freeze()", ["freeze()"]),
        ("slow_steps(factor=10)", ["slow_steps(", "factor=10)"]),
        ("link_bandwidth(rate_kb_per_s=2)", ["link_bandwidth(", "rate_kb_per_s=2)"]),
        ("link_reset(after_s=0, connections_ratio=1)", ["link_reset(", "after_s=0,", "connections_ratio=1)"]),
    ],
)
def test_a_fault_is_broken_between_its_words(fault, lines):
    assert broken(fault, 20).split("\n") == lines
