"""A pipeline as text goes wherever a preset goes: folders, replay tokens, other processes."""

import dataclasses
import json
import os
import re
import sys
from pathlib import Path

import pytest

import scenarios
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.scenario import Phases
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun
from policies.notation import LONGEST, tidy

SHORT = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=1.0, recovery_s=0.5, drain_s=1.0)
RUN = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", "out"]
MINE = """
from policies.limits.bulkhead import Bulkhead
from policies.policy import Policy


def capped(seats: int) -> Policy:
    return Bulkhead(max_in_flight=seats)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in, and a scenario of three seconds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    short = dataclasses.replace(scenarios.SCENARIOS["slow_worker"], phases=SHORT)
    monkeypatch.setitem(scenarios.SCENARIOS, "slow_worker", short)


@pytest.mark.parametrize(
    "text",
    [
        "retry",
        "timeout",
        "timeout( ttft = 1 )\n| retry() # often",
        "timeout(connect=1, ttft=1, itl=1, attempt=2, total=9) | retry(max_attempts=2, initial=0.2, max=3)"
        " | breaker_window(window=4, min_calls=5, open=5, max_open=10, slow_ttft=0.5) | bulkhead(8)",
    ],
)
def test_its_replay_makes_the_same_history_whatever_file_it_came_from(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.policy").write_text(text)
    assert run_command_line([*RUN, "--policy", "mine.policy"]) == ExitCode.INCONCLUSIVE  # too short to judge
    printed = re.search(r"limplock replay (\S+)", capsys.readouterr().out)
    assert printed is not None
    Path("mine.policy").unlink()
    assert VirtualRun.of(printed[1]).preset == tidy(text)
    assert run_command_line(["replay", printed[1], "--against", str(next(Path("out").iterdir()))]) == 0
    assert "the same history to the byte" in capsys.readouterr().out


def test_the_longest_pipeline_there_may_be_has_a_replay_token() -> None:
    text = f"round_robin() {'é' * LONGEST}"[: LONGEST - 1]
    run = VirtualRun(scenario="slow_worker", preset=text, seed=1, costs=TINY_CPU)
    assert VirtualRun.of(run.token()) == run


def test_two_long_pipelines_have_folders_of_their_own() -> None:
    policies = [f"timeout(connect=1, ttft=1, itl=1, attempt=2, total={total}) | retry()" for total in (8, 9)]
    options = [word for policy in policies for word in ("--policy", policy)]
    run_command_line([*RUN, *options])
    folders = sorted(Path("out").iterdir())
    assert len(folders) == 2
    assert all(len(folder.name) < 100 and re.fullmatch(r"[\w.=-]+", folder.name) for folder in folders)
    found = {json.loads((folder / "result.json").read_text())["setting"]["preset"] for folder in folders}
    assert found == set(policies)


def test_a_module_in_the_current_folder_is_found_by_the_processes_of_many_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("of_a_user_3.py").write_text(MINE)
    code = run_command_line([*RUN, "--policy", "of_a_user_3:capped(4)", "--seeds", "2", "--jobs", "2"])
    assert code in (ExitCode.PASS, ExitCode.FAIL, ExitCode.INCONCLUSIVE)
    assert "of_a_user_3:capped(4)" in capsys.readouterr().out
    results = [json.loads((folder / "result.json").read_text()) for folder in Path("out").iterdir()]
    assert [result["setting"]["preset"] for result in results] == ["of_a_user_3:capped(4)"] * 2


BROKEN = """
import sys

from policies.policy import Gate, Layer, Picker, Policy


class Binds(Policy):
    def bind(self, pool):
        raise RuntimeError("no\\nluck")


class Hears(Policy):
    def attempt_ended(self, attempt, outcome, now):
        raise RuntimeError("no\\nluck")


class Exits(Layer):
    async def run(self, call, next):
        sys.exit("no luck")


class Enters(Gate):
    def enter(self, attempt):
        return None


class Picks(Picker):
    def pick(self, call, candidates):
        return "worker-0"


class Brings(Policy):
    def brings(self):
        return None
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Binds", r"of_a_user_4:Binds broke the run, in line 9 of \S*of_a_user_4.py: RuntimeError: no luck"),
        ("Hears", r"of_a_user_4:Hears broke the run, in line 14 of \S*of_a_user_4.py: RuntimeError: no luck"),
        ("Exits", r"of_a_user_4:Exits broke the run, in line 19 of \S*of_a_user_4.py: SystemExit: no luck"),
        ("Enters", r"the run broke, perhaps by what of_a_user_4:Enters returned: AttributeError: .*'close'"),
        ("Picks", r"the run broke, perhaps by what of_a_user_4:Picks returned: AttributeError: .*'worker'"),
    ],
)
@pytest.mark.parametrize("several", [[], ["--seeds", "2", "--jobs", "2"]], ids=["one", "jobs"])
def test_a_policy_of_ones_own_that_breaks_the_run_is_named_in_one_line(
    name: str, words: str, several: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("of_a_user_4.py").write_text(BROKEN)
    policy = f"timeout() | of_a_user_4:{name}"
    assert run_command_line([*RUN, "--policy", policy, *several]) == ExitCode.BAD_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    told = re.search(rf"{words}. The traceback is in (\S+)$", said)
    assert told is not None, said
    assert "Traceback (most recent call last)" in Path(told[1]).read_text()


def test_a_policy_of_ones_own_that_no_pipeline_can_hold_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("of_a_user_4.py").write_text(BROKEN)
    assert run_command_line([*RUN, "--policy", "of_a_user_4:Brings"]) == ExitCode.BAD_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "of_a_user_4:Brings cannot be put into a pipeline: TypeError" in said
    assert not Path("out").exists()


def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.policy")
    assert run_command_line([*RUN, "--policy", "pipe.policy"]) == ExitCode.BAD_INPUT
    assert "'pipe.policy' is no plain file" in capsys.readouterr().err
