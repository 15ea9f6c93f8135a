import pytest

from harness.judging.history import FaultChanged, Finished, History, PhaseStarted
from harness.judging.levels import peak
from harness.judging.windows import Stretch, Window, timeline


def stretches(*steps, end_s=33.0):
    ends = [*(start for start, _ in steps[1:]), end_s]
    return [
        Stretch(Window(start, end), level, 1 + 9 * level)
        for (start, level), end in zip(steps, ends, strict=True)
    ]


def changed(*steps):
    starts = {"warm_up": 0.0, "baseline": 3.0, "fault": 13.0, "recovery": 33.0}
    marks = [PhaseStarted(at_s=at, phase=name) for name, at in starts.items()]
    changes = [FaultChanged(at_s=at, active=True, level=level) for at, level in steps]
    off = FaultChanged(at_s=33.0, active=False, level=0.0)
    return timeline(History([*marks, *changes, off, Finished(at_s=41.0, clean=True)]))


def test_a_fault_that_never_changes_is_measured_as_long_as_it_is_there():
    found = peak(stretches((13.0, 1.0)))
    assert found.windows == (Window(13.0, 33.0),)
    assert (found.level, found.words) == (1.0, "")


def test_a_fault_that_comes_and_goes_is_measured_whenever_it_is_on():
    found = peak(stretches((13.0, 1.0), (18.0, 0.0), (23.0, 1.0), (28.0, 0.0)))
    assert found.windows == (Window(13.0, 18.0), Window(23.0, 28.0))
    assert found.words == "at 100% of its strength, seen 2 times for 10.0 s in all"


def test_what_rises_is_measured_from_when_it_is_strongest():
    found = peak(stretches((13.0, 0.25), (14.0, 0.75), (15.0, 1.0)))
    assert found.windows == (Window(15.0, 33.0),)
    assert found.asked == 10.0


def test_a_peak_too_short_to_be_seen_is_said_and_the_next_level_measured():
    found = peak(stretches((13.0, 0.5), (23.0, 1.0), (23.5, 0.5)))
    assert (found.level, found.asked) == (0.5, 5.5)
    assert found.words.endswith("(at 100% too short to be seen)")


def test_what_changes_faster_than_the_samples_is_not_guessed():
    found = peak(stretches(*((13.0 + i / 2, float(i % 2 == 0)) for i in range(40))))
    assert found.windows == ()
    assert found.words == "its strength changed every 0.5 s or sooner, too fast to be seen (from 1 s)"


def test_nothing_of_it_is_nothing_to_measure():
    assert peak([]).windows == ()
    assert peak(stretches((13.0, 0.0))).windows == ()


@pytest.mark.parametrize(
    ("steps", "length_s"),
    [
        (((13.0, 1.0),), 20.0),
        (((13.0, 0.5), (20.0, 1.0)), 13.0),
        (((13.0, 0.5), (20.0, 1.0), (21.0, 0.5)), 1.0),
        (((13.0, 1.0), (15.0, 0.0), (17.0, 1.0)), 18.0),
        (((13.0, 0.5), (15.0, 0.25)), 2.0),
        ((), 20.0),
    ],
)
def test_a_fault_is_strongest_for_as_long_as_its_peaks_last_together(steps, length_s):
    assert changed(*steps).strongest_for_s == length_s


def test_stretches_follow_each_other_until_the_fault_is_taken_away():
    found = changed((13.0, 0.5), (13.0, 1.0), (30.0, 0.0)).levels
    assert [(each.window, each.level) for each in found] == [
        (Window(13.0, 30.0), 1.0),
        (Window(30.0, 33.0), 0.0),
    ]
