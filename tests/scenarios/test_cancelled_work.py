"""Dead work: steps as fast as ever, and a queue that only this worker has."""

import pytest

from harness.judging.history import Ended
from harness.judging.verdict import judge
from policies.outcome import Kind
from scenarios.cancelled_work import SCENARIO
from tests.scenarios.conducted import conduct, gauges

READER = next(caller for caller in SCENARIO.callers if caller.name == "reader")


def test_readers_leave_satisfied_with_a_part_of_the_answer_while_all_is_well(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    ends = [e for e in history.of(Ended) if e.request.startswith(READER.name) and 3 < e.at_s < 12]
    assert len(ends) > 9
    assert all((ended.kind, ended.satisfied) == (Kind.ABANDONED, True) for ended in ends)
    assert all(0 < ended.tokens < READER.max_tokens / 5 for ended in ends)


def test_only_the_worker_that_is_not_told_has_a_queue_and_its_steps_are_as_fast_as_ever(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    first, *others = (
        max(look.values["waiting"] for look in gauges(history, worker)) for worker in history.setup.workers
    )
    assert first > 3 * SCENARIO.topology.max_num_seqs
    assert max(others) <= SCENARIO.topology.max_num_seqs / 2
    bite = judge(history).bite
    assert bite.slow_factor == pytest.approx(1.0, abs=0.1)
    assert bite.measured == 1.0


def test_most_of_its_slots_serve_nobody(tmp_path):
    looks = gauges(conduct(SCENARIO, "none", tmp_path), "worker-0")
    dead_s = looks[-1].values["kept_seconds"] - looks[0].values["kept_seconds"]
    slots_s = SCENARIO.topology.max_num_seqs * (looks[-1].at_s - looks[0].at_s)
    assert dead_s > 0.6 * slots_s
