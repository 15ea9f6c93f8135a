"""The command, with runs that cost nothing (see conftest.py)."""

import json
from pathlib import Path

import pytest

from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.interrupts import Interrupted, Terminated
from harness.sweeping import sweep
from harness.virtual_run import VirtualRun

SMALL = "--policy none --load 0.3 --factor 2,3,5 --seeds 2 --jobs 1"


def do(line: str, out: Path) -> int:
    return run_command_line(["sweep", "slow_worker", *line.split(), "--out", str(out)])


def lines(out: Path) -> list[str]:
    return (out / "sweep.jsonl").read_text().splitlines()


def test_the_grid_is_run_and_then_its_zone_halved_twice(runs, out, capsys):
    assert do(SMALL, out) == ExitCode.PASS
    assert runs.asked() == [(f, s) for f in (2, 3, 5, 3.87, 4.4) for s in (1, 2)]
    shown = capsys.readouterr().out
    assert "none  can spread from x4.4 at load 0.3" in shown
    assert "contained up to x3.87, spread from x4.4" in shown
    assert len(lines(out)) == 10
    assert sorted(path.name for path in out.iterdir()) == ["sweep.json", "sweep.jsonl"]


def test_a_row_says_all_that_decided_it(runs, out):
    do(SMALL, out)
    row = json.loads(lines(out)[0])
    assert row["cell"] == {"preset": "none", "slow": 1, "load": 0.3, "factor": 2.0}
    again = VirtualRun.of(row["replay"])
    assert (again.seed, again.preset, again.fleet.factor) == (row["seed"], "none", 2.0)


def test_values_that_are_given_twice_are_taken_once(runs, out):
    do("--policy none --policy none --load .3,0.3 --factor 5,2,2.0 --seeds 1 --refine 0 --jobs 1", out)
    assert runs.asked() == [(2, 1), (5, 1)]


def test_histories_are_kept_only_when_asked_for(runs, out):
    do(SMALL + " --keep --refine 0", out)
    assert len(list(out.glob("runs/*/history.jsonl"))) == 6
    assert (out / "runs" / "none.load0.3.x2.slow1.seed1").is_dir()


@pytest.mark.parametrize(
    ("stop", "code"), [(Interrupted, ExitCode.INTERRUPTED), (Terminated, ExitCode.TERMINATED)]
)
def test_an_interrupted_sweep_shows_what_it_has_and_says_how_to_go_on(runs, out, capsys, stop, code):
    runs.stop_at, runs.stop_with = 3, stop
    assert do(SMALL, out) == code
    shown, said = capsys.readouterr()
    assert "PARTIAL: 3 of the 6 runs of the grid" in shown
    assert "1 contained, 1 ?" in shown
    assert "3 runs are kept. Go on: limplock sweep slow_worker --policy=none --load=0.3" in said
    assert f"--out={out}" in said
    assert not (out / ".runs").exists()


@pytest.mark.parametrize("stop_at", [1, 3, 6, 7, 9])
def test_it_goes_on_where_it_was_interrupted_and_ends_as_if_nothing_had_been(
    runs, out, tmp_path, stop_at, capsys
):
    do(SMALL, tmp_path / "whole")
    runs.done.clear()
    runs.stop_at = stop_at
    do(SMALL, out)
    runs.stop_at = 10**9
    command = capsys.readouterr().err.split("Go on: limplock ")[1].split()
    assert run_command_line(command) == ExitCode.PASS
    assert len(runs.done) == 10
    assert lines(out) == lines(tmp_path / "whole")
    assert f"{stop_at} are there already" in capsys.readouterr().out


def test_a_finished_sweep_is_shown_again_without_a_run(runs, out, capsys):
    do(SMALL, out)
    first = capsys.readouterr().out.splitlines()[1:]
    runs.done.clear()
    assert do(SMALL, out) == ExitCode.PASS
    assert runs.done == []
    assert capsys.readouterr().out.splitlines()[1:] == first


def test_a_finished_sweep_can_be_refined_further(runs, out):
    do(SMALL, out)
    runs.done.clear()
    do(SMALL + " --refine 3", out)
    assert runs.asked() == [(4.13, 1), (4.13, 2)]


def test_a_torn_last_line_is_done_again(runs, out):
    do(SMALL, out)
    whole = lines(out)
    (out / "sweep.jsonl").write_text("\n".join(whole[:-1]) + "\n" + whole[-1][:40])
    runs.done.clear()
    assert do(SMALL, out) == ExitCode.PASS
    assert len(runs.done) == 1
    assert lines(out) == whole


OTHERS = {
    "--policy none --load 0.4 --factor 2,3,5 --seeds 2": "loads 0.3, not 0.4",
    "--policy none --load 0.3 --factor 2,3 --seeds 2": "factors 2.0,3.0,5.0, not 2.0,3.0",
    "--policy timeout --load 0.3 --factor 2,3,5 --seeds 2": "presets none, not timeout",
    "--policy none --load 0.3 --factor 2,3,5 --seeds 2 --workers 8": "workers None, not 8",
    "--policy none --load 0.3 --factor 2,3,5 --seeds 2 --costs h100": "costs tiny_cpu, not h100",
}


@pytest.mark.parametrize("line", OTHERS)
def test_another_sweep_is_not_mixed_in(runs, out, capsys, line):
    do(SMALL + " --costs tiny_cpu", out)
    before = lines(out)
    assert do("--costs tiny_cpu " + line, out) == ExitCode.BAD_INPUT
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"{out} holds another sweep: {OTHERS[line]}" in said
    assert lines(out) == before


def test_rows_of_another_version_are_refused(runs, out, capsys):
    do(SMALL, out)
    path = out / "sweep.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9.'))
    assert do(SMALL, out) == ExitCode.BAD_INPUT
    assert "holds another sweep: version 9." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: "{}\n" + text, "line 1 is not of a sweep"),
        (lambda text: text.replace('"seed":1', '"seed":7'), "line 1 is of another sweep"),
    ],
)
def test_damaged_rows_are_named(runs, out, capsys, damage, said):
    do(SMALL, out)
    path = out / "sweep.jsonl"
    path.write_text(damage(path.read_text()))
    assert do(SMALL, out) == ExitCode.BAD_INPUT
    assert said in capsys.readouterr().err


def test_rows_without_a_plan_are_left_alone(runs, out, capsys):
    do(SMALL, out)
    (out / "sweep.json").unlink()
    assert do(SMALL, out) == ExitCode.BAD_INPUT
    assert "has a sweep.jsonl but no sweep.json" in capsys.readouterr().err


def test_two_sweeps_do_not_write_to_one_folder(runs, out, capsys):
    do(SMALL + " --refine 0", out)

    def meanwhile(places, jobs):
        assert do(SMALL, out) == ExitCode.BAD_INPUT
        assert "another sweep is writing to" in capsys.readouterr().err
        yield from runs(places, jobs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "conduct_all", meanwhile)
        assert do(SMALL, out) == ExitCode.PASS


def test_a_sweep_in_which_nothing_was_decided_is_inconclusive(runs, out, capsys):
    runs.decides = False
    assert do(SMALL, out) == ExitCode.INCONCLUSIVE
    shown = capsys.readouterr().out
    assert "none  undecided" in shown
    assert len(runs.done) == 6


def test_a_pipe_gets_a_line_for_each_tenth(runs, out, capsys):
    do("--policy none --load 0.3 --factor 1.1:5:0.1 --seeds 1 --refine 0 --jobs 1", out)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"{done} of 40 runs" for done in range(4, 41, 4)]
