"""What cannot be swept: one line with what would be accepted, before anything is started."""

import pytest

from harness.cli import run_command_line
from harness.exit_codes import ExitCode

WRONG = {
    "--load 0.3:0.9": "--load takes numbers such as 0.3,0.5,0.7 or a range",
    "--load=": "--load takes numbers such as 0.3,0.5,0.7 or a range from:to:step such as 0.3:0.7:0.2, got ''",
    "--factor=": "--factor takes numbers such as 1.5,2,3",
    "--slow=": "--slow takes numbers such as 1,2,4",
    "--load 0,0.5": "cell load 0, factor 1.5, 1 slow: --load must be above 0",
    "--load 0.5,1.2": "cell load 1.2, factor 1.5, 1 slow: --load 1.2: it is a share of the",
    "--factor 0.5,2": "cell load 0.3, factor 0.5, 1 slow: --factor: slow_steps: factor must be 1 or more",
    "--slow 1,4": "cell load 0.3, factor 1.5, 4 slow: --slow must be 1 to 3 of 4 workers",
    "--slow 1.5": "--slow takes whole numbers",
    "--workers 0": "--workers must be 1 to",
    "--max-queue -1": "--max-queue must be 0 to",
    "--seeds 0": "--seeds must be at least 1",
    "--refine 11": "--refine must be 0 to 10",
    "--jobs 0": "--jobs must be 1 to",
    "--costs b200": "unknown cost set 'b200'",
    "--policy nne": "unknown policy preset 'nne'",
    "--factor 1:1000:1 --load 0.001:0.999:0.001": "(1,998,000 cells, 3 seeds each",
    "--seeds 1000000": "at most 20,000 are accepted: fewer values or --seeds",
    "--workers 4000 --seeds 100": "at most 500,000,000 are accepted: fewer values, --seeds or --workers",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_sweep_is_refused_in_one_line_and_leaves_nothing(runs, out, capsys, line):
    assert run_command_line(["sweep", "slow_worker", *line.split(), "--out", str(out)]) == ExitCode.BAD_INPUT
    shown, said = capsys.readouterr()
    assert WRONG[line] in said
    assert (shown, said.count("\n"), out.exists(), runs.done) == ("", 1, False, [])


@pytest.mark.parametrize(
    ("scenario", "said"), [("healthy", "has no fault to sweep"), ("dead_worker", "killed, has no factor")]
)
def test_a_scenario_without_a_factor_cannot_be_swept(runs, capsys, scenario, said):
    assert run_command_line(["sweep", scenario]) == ExitCode.BAD_INPUT
    assert said in capsys.readouterr().err
