"""Scenarios by name. To add one: its file, its line here, its expectations for every preset."""

from scenarios import dead_worker, healthy, slow_link, slow_worker

SCENARIOS = {
    module.SCENARIO.name: module.SCENARIO for module in (healthy, slow_worker, dead_worker, slow_link)
}
