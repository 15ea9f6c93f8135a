"""Fleets have thousands of workers: what a judge does once a worker must not be a scan of the history."""

import pytest

from harness.judging.verdict import judge
from tests.harness.judging.synthetic import simulate


class Counted(list):
    """Records that count how often somebody goes through all of them."""

    scans = 0

    def __iter__(self):
        self.scans += 1
        return super().__iter__()


@pytest.mark.parametrize("workers", [4, 12])
def test_a_history_is_gone_through_once_however_many_workers_there_are(workers):
    names = tuple(f"worker {number}" for number in range(workers))
    history = simulate(workers=names, faulted=names[:2], fault_s=4.0, recovery_s=1.0)
    history.records = Counted(history.records)
    judge(history)
    assert history.records.scans == 1
