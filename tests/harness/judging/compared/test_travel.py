import numpy as np
import pytest

from harness.judging.compared.travel import band, left_at, travel
from tests.harness.judging.compared.handmade import START_S, Fate, fault, laid_out


def spreading(caller, number, at_s):
    """Worker-0 takes 3 s; from 4 s into the fault local waits, from 8 s on tenant does."""
    since_s = at_s - START_S
    if not fault(at_s):
        return Fate()
    if caller == "chat":
        return Fate(took_s=3.0 if number % 4 == 0 else 0.5)
    return Fate(waited_s=1.5 if since_s >= (4 if caller == "local" else 8) else 0.0)


def order(fates, **changes):
    case = laid_out(fates, **changes)
    return travel(case, case.control)


def test_pressure_goes_from_the_faulted_worker_through_the_service_to_the_callers():
    found = order(spreading)
    assert [(each.place, each.kind) for each in found] == [
        ("worker-0", "worker"), ("local", "caller"), ("api", "service"), ("tenant", "caller"),
    ]  # fmt: skip
    times = [each.after_s for each in found]
    assert times[0] == pytest.approx(
        1.0, abs=0.5
    )  # 2.5 a second: beyond its usual 2 at once, a quarter and one
    assert times[1] == pytest.approx(4.25, abs=0.25)
    assert 4.25 <= times[2] <= 5.5
    assert times[3] == pytest.approx(8.5, abs=0.5)


def test_what_the_faulted_worker_holds_is_no_pressure_at_a_hop():
    found = order(
        lambda caller, number, at_s: Fate(took_s=3.0 if caller == "chat" and number % 4 == 0 else 0.5)
    )
    assert [each.place for each in found] == ["worker-0"]


def test_without_pressure_there_is_no_order():
    assert order(lambda *_: Fate()) == []


def test_a_line_of_half_a_second_is_an_ordinary_burst():
    assert (
        order(lambda caller, _, at_s: Fate(waited_s=0.4 if caller == "local" and 20 <= at_s < 20.3 else 0))
        == []
    )


def test_the_usual_load_is_that_of_the_control():
    assert order(spreading, calm=spreading) == []


def test_the_band_is_a_quarter_and_one_more_than_the_most_that_is_usual():
    assert band(np.array([1.0, 8.0, 2.0])) == 11


@pytest.mark.parametrize(
    ("load", "part"),
    [
        ([5, 5, 5], None),
        ([6, 6, 6], 0),
        ([5, 6, 6, 6, 5], 1),
        ([6, 6, 5, 6, 6, 6], 3),
        ([6, 6, 5, 6, 6], None),
    ],
)
def test_a_place_has_left_its_band_when_it_stays_beyond(load, part):
    assert left_at(np.array(load), 5.0, 3) == part
