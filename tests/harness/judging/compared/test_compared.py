from harness.judging.compared import compare
from harness.judging.metrics import METRICS
from tests.harness.judging.compared.handmade import Fate, fault, laid_out, measured


def shaken(caller, number, at_s):
    return Fate(kind="error" if caller == "chat" and number % 2 and fault(at_s) else "ok")


def test_every_measure_of_a_pair_is_in_the_registry_and_there_is_no_other():
    assert {name for name, _ in measured(shaken)} == {m.name for m in METRICS.values() if m.of == "pair"}


def test_a_run_that_stands_alone_has_none():
    case = laid_out(shaken)
    assert compare(case.control, depth=0) == []


def test_only_a_metastable_system_decides():
    assert {m.name for m in compare(laid_out(shaken), depth=0) if m.deciding} == {"metastable"}


def test_how_far_pressure_came_is_a_figure_too():
    found = [next(m for m in compare(laid_out(), depth=depth) if m.name == "hop_depth") for depth in range(3)]
    assert [m.value for m in found] == [0, 1, 2]
    assert [m.proved for m in found] == [False, True, True]
    assert [m.value > m.severe for m in found] == [False, False, True]
