"""Pressure as a line of bars: forty columns, the fault in brackets, and a calm hop looks calm."""

import numpy as np
import pytest

from harness.judging.windows import timeline
from harness.reporting.sparkline import BARS, COLUMNS, levels, sparkline, sparklines, stretches
from tests.harness.judging.synthetic import CONTAINED, simulate


@pytest.mark.parametrize("plan", [{}, CONTAINED, {"kind": None}], ids=["spread", "contained", "healthy"])
def test_every_hop_has_a_line_of_forty_columns_the_faulted_worker_first(plan):
    history = simulate(**plan)
    places = [each.place for each in levels(history)]
    assert places[-3:] == ["gateway", "api", "front"]
    assert places[:-3] == (["worker 2"] if history.setup.fault else [])
    lines = sparklines(history)
    assert len(lines) == len(places)
    for line in lines:
        bars = line[len("worker 2") + 2 if history.setup.fault else len("gateway") + 2 :].split("  ")[0]
        assert len(bars) == COLUMNS
        assert bars.count("[") == bars.count("]") == 1


def test_the_brackets_are_where_the_fault_was():
    times = timeline(simulate())
    columns = stretches(times)
    first, last = columns.fault
    step_s = columns.edges[1] - columns.edges[0]
    assert abs(columns.edges[first] - times.fault.start_s) <= step_s / 2
    assert abs(columns.edges[last] - times.fault.end_s) <= step_s / 2


def test_a_fault_shorter_than_a_column_still_has_one():
    columns = stretches(timeline(simulate(fault_s=0.2, recovery_s=30.0)))
    assert columns.fault[1] - columns.fault[0] == 1


def test_a_hop_at_its_usual_level_stays_in_the_lower_half_and_one_that_grows_does_not():
    calm, grown = sparkline([2.0] * 8, (3, 6)), sparkline([2, 2, 2, 4, 8, 16, 8, 2], (3, 6))
    assert max(calm.strip("[]")) <= BARS[3]
    assert grown[4:7] == BARS[2] + BARS[4] + BARS[7]


def test_next_to_nothing_is_not_drawn_as_pressure():
    assert sparkline([0.0, 0.0, 0.01, 0.02], (2, 3)) == f"{BARS[0] * 2}[{BARS[0]}]{BARS[0]}"


def test_where_nobody_looked_is_a_blank_and_what_was_seen_keeps_its_scale():
    nothing = float("nan")
    assert sparkline([nothing, 1.0, nothing, 4.0], (2, 4)) == f" {BARS[2]}[ {BARS[7]}]"
    assert sparkline([nothing] * 3, (1, 2)) == " [ ] "


def test_the_ratio_behind_a_line_is_of_the_fault_and_the_time_before():
    spread = {each.place: each for each in levels(simulate())}
    contained = {each.place: each for each in levels(simulate(**CONTAINED))}
    assert spread["front"].growth > 5 > 2 > contained["front"].growth
    assert np.isfinite(spread["worker 2"].values).all()
