"""Slow at first and then as fast as its peers: what is left alone must be used again."""

import pytest

from harness.judging.history import Attempted, History
from harness.judging.windows import Window
from scenarios.cold_start import SCENARIO
from tests.scenarios.conducted import conduct, during, sent

SHAPE = SCENARIO.fault.shape


def share(history: History, window: Window) -> float:
    """Of the attempts of those who may use it."""
    chat = [a for a in history.of(Attempted) if a.request.startswith("chat") and window.holds(a.started_s)]
    return len(sent(history, window)) / len(chat)


def test_its_steps_are_ten_times_slower_and_then_those_of_its_peers(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    window = during(history)
    warm_s = window.start_s + SHAPE.hold_s + SHAPE.fall_s
    cold = [
        look for look in history.gauges("worker-0") if window.start_s + 1 < look.at_s < warm_s - SHAPE.fall_s
    ]
    warm = [look for look in history.gauges("worker-0") if warm_s + 1 < look.at_s < window.end_s]

    def step_s(looks):
        spent, steps = (looks[-1].values[n] - looks[0].values[n] for n in ("step_seconds", "steps"))
        return spent / steps

    assert step_s(cold) / step_s(warm) == pytest.approx(10, rel=0.1)


def test_it_is_left_alone_while_it_is_cold_and_used_again_once_it_is_warm(tmp_path):
    history = conduct(SCENARIO, "contain", tmp_path)
    window = during(history)
    cold = Window(window.start_s + 5, window.start_s + SHAPE.hold_s)
    assert share(history, cold) < 0.06
    assert share(history, Window(window.end_s, window.end_s + SCENARIO.phases.recovery_s)) > 0.15
