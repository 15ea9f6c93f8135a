"""Many runs in one process: order, an early end, and how many processes there may be."""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import scenarios
from harness.errors import BadInput
from harness.many_runs import check_jobs, conduct_all
from harness.results import RESULT
from harness.scenario import Phases
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

SHORT = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=1.0, recovery_s=0.5, drain_s=1.0)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = replace(scenarios.SCENARIOS["slow_worker"], phases=SHORT)
    monkeypatch.setitem(scenarios.SCENARIOS, "slow_worker", scenario)


def placed(folder: Path, count: int) -> list[tuple[VirtualRun, Path]]:
    runs = [VirtualRun(scenario="slow_worker", preset="none", seed=n, costs=TINY_CPU) for n in range(count)]
    places = [folder / str(run.seed) for run in runs]
    for place in places:
        place.mkdir()
    return list(zip(runs, places, strict=True))


def test_one_process_conducts_in_order_and_each_in_its_folder(tmp_path: Path) -> None:
    places = placed(tmp_path, 3)
    found = list(conduct_all(places, jobs=1))
    assert [index for index, _ in found] == [0, 1, 2]
    assert [result.replay for _, result in found] == [run.token() for run, _ in places]
    assert len({result.digest for _, result in found}) == 3
    assert all((folder / RESULT).exists() for _, folder in places)


def test_whoever_stops_asking_stops_the_runs(tmp_path: Path) -> None:
    with closing(conduct_all(placed(tmp_path, 3), jobs=1)) as conducted:
        next(conducted)
    assert [(tmp_path / name / RESULT).exists() for name in "012"] == [True, False, False]


def test_a_run_that_fails_is_raised_as_it_is(tmp_path: Path) -> None:
    (run, folder), *rest = placed(tmp_path, 2)
    folder.rmdir()
    folder.touch()
    with pytest.raises(FileExistsError):
        list(conduct_all([(run, folder), *rest], jobs=1))


def test_without_a_number_there_are_as_many_processes_as_cores_for_us() -> None:
    assert check_jobs(None) >= 1
    if hasattr(os, "sched_getaffinity"):
        assert check_jobs(None) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("jobs", [1, 2, 256])
def test_a_number_of_processes_is_taken_as_it_is(jobs: int) -> None:
    assert check_jobs(jobs) == jobs


@pytest.mark.parametrize("jobs", [-1, 0, 257])
def test_no_process_and_too_many_are_refused(jobs: int) -> None:
    with pytest.raises(BadInput, match=f"--jobs must be 1 to 256, got {jobs}"):
        check_jobs(jobs)
