"""Scenarios by name. To add one: its file, its line here and in docs/scenarios.md."""

from scenarios import (
    all_slow,
    dead_worker,
    flapping_worker,
    freeze_mid_stream,
    gray_health,
    healthy,
    ramping_worker,
    slow_link,
    slow_worker,
    stalled_worker,
    two_of_four_slow,
    wedge,
)

_ALL = (
    healthy,
    slow_worker,
    dead_worker,
    slow_link,
    stalled_worker,
    flapping_worker,
    ramping_worker,
    freeze_mid_stream,
    wedge,
    gray_health,
    two_of_four_slow,
    all_slow,
)
SCENARIOS = {module.SCENARIO.name: module.SCENARIO for module in _ALL}
