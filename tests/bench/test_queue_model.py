import pytest

from bench import queue_model
from bench.queue_engines import ENGINES, Draws, Result, on_a_heap


def test_each_engine_is_measured_and_put_in_ratio_to_simpy() -> None:
    section = queue_model.measure(requests=200, rounds=1)
    figures = {figure.name: figure.value for figure in section.figures}
    assert list(figures) == [
        "our loop: requests",
        "our loop: to SimPy",
        "SimPy: requests",
        "heap: requests",
        "heap: to SimPy",
    ]
    assert all(value > 0 for value in figures.values())


def test_the_ratio_is_above_one_for_what_takes_less_cpu() -> None:
    section = queue_model._section({"our loop": [4.0], "SimPy": [2.0], "heap": [0.5]}, 100, 1)
    figures = {figure.name: figure.value for figure in section.figures}
    assert figures["our loop: to SimPy"] == 0.5
    assert figures["heap: to SimPy"] == 4
    assert figures["heap: requests"] == 200


def test_engines_that_do_not_agree_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgets(draws: Draws) -> Result:
        result = on_a_heap(draws)
        result.timed_out += 1
        return result

    monkeypatch.setitem(ENGINES, "heap", forgets)
    with pytest.raises(AssertionError, match="do not agree"):
        queue_model.measure(requests=200, rounds=1)
