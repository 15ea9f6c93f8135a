import numpy as np
import pytest
from msgspec.structs import replace

from harness.judging.history import Attempted, Ended, History, Visit
from harness.judging.littles_law import check
from harness.judging.occupancy import Occupancy
from harness.judging.verdict import judge
from tests.harness.judging.synthetic import simulate


def doctored(kind, change, **where):
    """A history in which one record of `kind`, of a request in the middle, is not what it was."""
    history = simulate(fault_s=4.0, recovery_s=1.0)
    found = [
        at
        for at, record in enumerate(history.records)
        if isinstance(record, kind) and all(getattr(record, name) == value for name, value in where.items())
    ]
    middle = found[len(found) // 2]
    history.records[middle] = change(history.records[middle])
    return History(history.records)


def test_the_mean_number_present_is_the_rate_times_the_mean_stay():
    random = np.random.default_rng(3)
    starts = random.uniform(0, 90, 5000)
    stays = np.minimum(random.exponential(3, 5000), 100 - starts)
    check("here", Occupancy.between(starts, starts + stays), stays, 100.0)
    with pytest.raises(
        ValueError, match=r"at here .* are present on average, but by Little's law 50 a second"
    ):
        check("here", Occupancy.between(starts, starts + stays), stays + 1e-5, 100.0)


def test_nobody_is_no_contradiction():
    check("here", Occupancy.of([]), np.array([]), 10.0)


@pytest.mark.parametrize(
    ("kind", "where", "change", "complaint"),
    [
        (Visit, {"hop": "api"}, lambda v: replace(v, arrived_s=v.at_s + 1, granted_s=v.at_s + 1), "at api "),
        (Visit, {"hop": "front"}, lambda v: replace(v, at_s=1e3), "at front "),
        (Visit, {"hop": "front"}, lambda v: replace(v, arrived_s=-1.0), "at front "),
        (Visit, {"hop": "api"}, lambda v: replace(v, granted_s=v.arrived_s - 1), "at the slots of api "),
        (Visit, {"hop": "api"}, lambda v: replace(v, granted_s=v.at_s + 1), "at the slots of api "),
        (Attempted, {}, lambda a: replace(a, started_s=a.at_s + 1), "at the workers "),
        (Ended, {}, lambda e: replace(e, at_s=0.0), "at (chat|tenant|local_front|local_api) "),
    ],
)
def test_records_that_contradict_each_other_are_refused(kind, where, change, complaint):
    with pytest.raises(ValueError, match=f"the history does not add up: {complaint}"):
        judge(doctored(kind, change, **where))
