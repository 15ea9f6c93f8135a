"""The sections on virtual runs, at small sizes. What they measured is not asserted, what they say is."""

from pathlib import Path

import pytest

from bench import virtual_memory, virtual_parallel, virtual_requests, virtual_scale, virtual_speed
from bench.report import Section
from bench.virtual_memory import Kept
from bench.virtual_requests import WITH_HOPS, Weighed, weigh
from harness.errors import EnvironmentFault


def values(section: Section) -> dict[str, float]:
    return {figure.name: figure.value for figure in section.figures}


def aims(section: Section) -> dict[str, str]:
    return {figure.name: figure.aim for figure in section.figures if figure.aim}


def test_a_run_is_of_about_as_many_requests_as_asked_and_each_is_written(tmp_path: Path) -> None:
    weighed = weigh(tmp_path, 200)
    assert 150 < weighed.requests < 250
    assert weighed.bytes == (tmp_path / "history.jsonl").stat().st_size


def test_single_steps_make_the_same_history_and_hops_another(tmp_path: Path) -> None:
    strides = weigh(tmp_path, 200, costs=WITH_HOPS).digest
    assert weigh(tmp_path, 200, costs=WITH_HOPS, single_steps=True).digest == strides
    assert weigh(tmp_path, 200).digest != strides


def test_the_load_of_each_worker_is_the_same_in_every_fleet() -> None:
    small, large = virtual_requests._scenario(4, 1000), virtual_requests._scenario(512, 1000)
    assert small.callers[0].rate_rps / 4 == large.callers[0].rate_rps / 512
    assert small.topology.services[0].slots / 4 == large.topology.services[0].slots / 512
    assert small.phases.load_s * 4 == large.phases.load_s * 512


def test_speed_is_told_for_both_ways_to_step_and_as_their_ratio() -> None:
    section = virtual_speed.measure(requests=100, rounds=1)
    assert [name for name in values(section) if name.startswith("without")] == [
        "without hops: requests",
        "without hops: in single steps",
        "without hops: to single steps",
    ]
    assert aims(section) == {"without hops: requests": "at least 10000"}


def test_the_best_round_counts_and_the_ratio_is_above_one_where_strides_take_less() -> None:
    cpu_s = {
        "without hops, strides": [1.0, 0.5],
        "without hops, single steps": [3.0, 1.5],
        "with hops, strides": [1.0, 2.0],
        "with hops, single steps": [1.0, 2.0],
    }
    told = values(virtual_speed._section(cpu_s, {"without hops": 100, "with hops": 100}, 2))
    assert told["without hops: requests"] == 200
    assert told["without hops: to single steps"] == 3
    assert told["with hops: to single steps"] == 1


def test_histories_that_differ_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def other_each_time(folder: Path, requests: int, *, single_steps: bool, **_: object) -> Weighed:
        return Weighed(requests, 1.0, 1, f"single {single_steps}")

    monkeypatch.setattr(virtual_speed, "weigh", other_each_time)
    with pytest.raises(AssertionError, match="do not make the same history"):
        virtual_speed.measure(requests=100, rounds=1)


def test_each_fleet_is_told_and_all_but_the_smallest_have_a_ratio_to_it() -> None:
    section = virtual_scale.measure(workers=(2, 8), requests=100, rounds=1)
    assert list(values(section)) == ["2 workers: a request", "8 workers: a request", "8 workers: to 2"]
    assert aims(section) == {"8 workers: to 2": "at most 2"}


def test_memory_is_told_for_a_hundred_thousand_requests() -> None:
    section = virtual_memory._section(Kept(requests=50_000, grew_bytes=100_000_000, file_bytes=60_000_000))
    assert values(section) == {"resident memory": 200, "history file": 120}


def test_efficiency_is_told_with_and_without_the_start_of_the_processes() -> None:
    section = virtual_parallel._section({1: [20.0, 22.0], 2: [12.5, 13.0]}, 2.5, runs=8, workers=24)
    told = values(section)
    assert told["efficiency"] == 0.8
    assert told["efficiency without that"] == 1
    assert aims(section) == {"efficiency": "at least 0.85"}


def test_one_core_cannot_tell_what_two_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_parallel, "check_jobs", lambda _jobs: 1)
    with pytest.raises(EnvironmentFault, match="2 processes need 2 cores, this process may use 1"):
        virtual_parallel.measure()
