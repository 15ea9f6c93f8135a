"""Virtual runs in processes: the same bytes however many there are, and an orderly end whatever happens."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from harness.errors import BadInput
from harness.exit_codes import ExitCode
from harness.many_runs import conduct_all
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun, digest

pytestmark = pytest.mark.real

RUN = "run healthy --engine virtual --costs tiny_cpu"
LIMIT_S = 60.0


def placed(folder: Path, seeds: range) -> list[tuple[VirtualRun, Path]]:
    runs = [VirtualRun(scenario="healthy", preset="none", seed=seed, costs=TINY_CPU) for seed in seeds]
    places = [folder / str(run.seed) for run in runs]
    for place in places:
        place.mkdir(parents=True)
    return list(zip(runs, places, strict=True))


def children() -> set[int]:
    """Of this process, without the tracker that multiprocessing keeps until the end."""
    found = psutil.Process().children(recursive=True)
    return {child.pid for child in found if "resource_tracker" not in " ".join(child.cmdline())}


def test_the_number_of_processes_changes_no_byte(tmp_path: Path) -> None:
    before = children()
    alone = {index: result.digest for index, result in conduct_all(placed(tmp_path / "1", range(3)), jobs=1)}
    two = {index: result.digest for index, result in conduct_all(placed(tmp_path / "2", range(3)), jobs=2)}
    assert alone == two
    assert len(set(alone.values())) == 3
    assert children() <= before


def test_a_run_that_fails_in_a_process_is_raised_here_and_ends_the_others(tmp_path: Path) -> None:
    before = children()
    unknown = VirtualRun(scenario="healhty", preset="none", seed=1, costs=TINY_CPU)
    places = [*placed(tmp_path, range(8)), (unknown, tmp_path)]
    with pytest.raises(BadInput, match=r"unknown scenario .healhty.\. Closest: healthy"):
        list(conduct_all(places[::-1], jobs=2))
    assert children() <= before
    assert len(list(tmp_path.glob("*/result.json"))) < 8


def test_whoever_stops_asking_ends_the_processes(tmp_path: Path) -> None:
    before = children()
    with closing(conduct_all(placed(tmp_path, range(20)), jobs=2)) as conducted:
        next(conducted)
    assert children() <= before
    assert len(list(tmp_path.glob("*/result.json"))) < 20


def limplock(line: str, hash_seed: str = "random") -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        start_new_session=True,
    )


def test_a_history_does_not_depend_on_the_seed_of_hashes(tmp_path: Path) -> None:
    digests = set()
    for hash_seed in ("0", "12345"):
        out = tmp_path / hash_seed
        line = f"run slow_worker --engine virtual --costs a100 --policy libraries --out {out}"
        process = limplock(line, hash_seed)
        assert process.wait(LIMIT_S) in (ExitCode.PASS, ExitCode.FAIL, ExitCode.INCONCLUSIVE)
        assert process.communicate()[1] == ""
        digests.add(digest(out / "slow_worker.libraries" / "history.jsonl"))
    assert len(digests) == 1


@contextmanager
def under_way(out: Path) -> Iterator[tuple["subprocess.Popen[str]", list[psutil.Process]]]:
    """Far more runs than there is time for, the first of which are done; and the processes for them."""
    process = limplock(f"{RUN} --seeds 300 --jobs 2 --out {out}")
    try:
        give_up_s = time.monotonic() + LIMIT_S
        while not list(out.glob("*/result.json")):
            assert time.monotonic() < give_up_s
            assert process.poll() is None
            time.sleep(0.02)
        spawned = psutil.Process(process.pid).children(recursive=True)
        yield process, spawned
        _, alive = psutil.wait_procs(spawned, timeout=10)
        assert alive == []
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_ctrl_c_ends_many_runs_at_once(tmp_path: Path) -> None:
    """It reaches every process of the group."""
    with under_way(tmp_path / "out") as (process, _):
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, err) == (ExitCode.INTERRUPTED, "limplock: stopped\n")
    assert re.search(r"limplock replay lp1-\S+", out)


def test_sigterm_for_the_main_process_ends_the_others_too(tmp_path: Path) -> None:
    with under_way(tmp_path / "out") as (process, _):
        process.terminate()
        _, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, err) == (ExitCode.TERMINATED, "limplock: stopped\n")


def test_a_process_that_is_killed_is_one_line(tmp_path: Path) -> None:
    with under_way(tmp_path / "out") as (process, spawned):
        next(child for child in spawned if "spawn_main" in " ".join(child.cmdline())).kill()
        _, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == ExitCode.ENVIRONMENT
    assert err.count("\n") == 1
    assert "a process of ours was killed, perhaps for want of memory. Try fewer --jobs" in err


def test_no_process_outlives_a_main_process_that_is_killed(tmp_path: Path) -> None:
    with under_way(tmp_path / "out") as (process, _):
        process.kill()


def test_files_named_like_modules_of_ours_or_pythons_do_not_reach_the_processes(tmp_path: Path) -> None:
    for name in ("multiprocessing", "policies", "harness", "asyncio", "typing", "queue"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('of the user')\n")
    (tmp_path / "of_a_user_5.py").write_text("from policies.limits.bulkhead import Bulkhead\n")
    command = [str(Path(sys.executable).with_name("limplock")), *RUN.split(), "--seeds", "3", "--jobs", "2"]
    policy = ["--policy", "of_a_user_5:Bulkhead(8)"]
    done = subprocess.run(
        [*command, *policy], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == ExitCode.PASS, done.stderr
    assert "Traceback" not in done.stderr
