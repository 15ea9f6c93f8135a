"""Half of the pool is slow: of two workers chosen at random both are slow once in six times."""

from scenarios.two_of_four_slow import SCENARIO
from tests.scenarios.conducted import conduct, during, gauges, sent


def to_the_slow(history):
    """How many of the attempts went to the two slow workers, as a share."""
    counts = [len(sent(history, during(history), worker)) for worker in history.setup.workers]
    return sum(counts[:2]) / sum(counts)


def held_by_the_slow(history):
    """The most attempts that were with them at a time."""
    looks = gauges(history, "gateway")
    return max(sum(g.values.get(f"pending.worker-{n}", 0) for n in (0, 1)) for g in looks)


# report 17: brpc#3340
def test_choosing_the_less_loaded_of_two_goes_on_to_fill_the_slow_half(tmp_path):
    history = conduct(SCENARIO, "finagle_defaults", tmp_path)
    api = SCENARIO.topology.services[1]
    assert held_by_the_slow(history) > 0.75 * api.slots


def test_taking_one_out_and_preferring_the_quick_leaves_the_slow_half_next_to_nothing(tmp_path):
    history = conduct(SCENARIO, "contain", tmp_path)
    api = SCENARIO.topology.services[1]
    assert held_by_the_slow(history) < 0.6 * api.slots
    assert to_the_slow(history) < 0.05
