"""Bad input: one line with what to do, the right exit code, and nothing started."""

from pathlib import Path

import pytest

from faults.notation import read_fault
from harness import commands
from harness.catalogue import catalogue
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from policies.assembly import assemble
from policies.notation import parse
from policies.presets import PRESETS
from policies.registry import POLICIES


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(commands, "run_all", started)
    monkeypatch.setattr(commands, "serve", started)
    monkeypatch.setattr(commands, "order_fault", started)


WRONG = {
    "run slow_wroker": "unknown scenario 'slow_wroker'. Closest: slow_worker.",
    "run slow_worker --policy timeot": "unknown policy preset 'timeot'. Closest: timeout.",
    "run slow_worker --model tyni": "unknown model 'tyni'. Closest: tiny.",
    "run slow_worker --model ./no/such/folder": "is not a folder",
    "run slow_worker --device gpu": "unknown device 'gpu'.",
    "run slow_worker --toxiproxy embeded": "unknown --toxiproxy value 'embeded'. Closest: embedded.",
    "run slow_worker --toxiproxy http://example.org:8474": "is not on loopback",
    "run slow_worker --seed x": "--seed",
    "run slow_worker --polcy none": "--policy",
    "run": "Missing argument 'scenario'. See: limplock run --help",
    "models fetch": "See: limplock models fetch --help",
    "run slow_worker --engine virtual --fault gpu_power_limit": "a virtual run has none. Use slow_steps or",
    "run slow_worker --fault link_latency(500ms)": "durations are seconds, 0.5 and not 500ms",
    "fault link_latency --latency 500ms": "--latency: a number has no unit: durations are seconds, 0.5",
    "rnu": "Did you mean 'run'?",
    "list polices": "unknown list 'polices'. Closest: policies.",
    "serve --workers 0": "--workers must be 1 to",
    "serve --workers 10000": "--workers must be 1 to",
    "serve --port 70000": "--port must be 0 to 65535",
    "serve --policy shed": "unknown policy preset 'shed'.",
    "fault slow_stps": "unknown fault 'slow_stps'. Closest: slow_steps.",
    "fault slow_steps --factor 0.5": "factor must be 1 or more",
    "fault slow_steps --factor nan": "factor must be 1 or more",
    "fault slow_steps --factor ten": "--factor: expected a number, or a share of the timeout",
    "fault slow_steps --faktor 10": "has no parameter 'faktor'. It has: factor",
    "fault slow_steps --factor": "has no value",
    "fault slow_steps --factor 10 --factor 20": "--factor is given twice",
    "fault slow_steps 10": "'10'",
    "fault": "which fault? `limplock list faults` has all",
    "fault flapping": "flapping is a shape of a fault",
    "fault killed --for 5": "--for: killed does not heal by itself",
    "fault slow_steps --lift": "--lift ends what is on a worker and takes --worker alone: leave out slow",
    "fault --lift --for 5": "leave out --for",
    "fault --lift --factor 5": "leave out --factor",
    "fault slow_steps --for 0": "--for must be above 0 s",
    "fault slow_steps --for inf": "--for must be above 0 s",
    "fault slow_steps --shape rmp": "unknown shape 'rmp'. Closest: ramp.",
    "fault slow_steps(factor=2) --factor 3": "'--factor' is to stand within the parentheses",
    "fault slow_steps(factor=2": "the parentheses do not match",
    "run slow_worker --fault slow_stps(3)": "--fault: unknown fault 'slow_stps'. Closest: slow_steps.",
    "run slow_worker --fault slow_steps(factor=3s)": "--fault: a number has no unit",
    "run slow_worker --fault link_latency(latency=2timeout)": "connections_ratio=1) under none: 2timeout",
    "run slow_worker --engine virtual --fault link_latency(latency=2timeout)": "under none: 2timeout needs a",
    "sweep slow_worker --fault link_latency()": "--fault, link_latency, has no factor to sweep over",
    "validate --fault slow_stps": "--fault: unknown fault 'slow_stps'",
    "fault link_latency --latency_s -1": "latency_s must be 0 or more",
    "models fetch llama": "unknown model 'llama'.",
    "run slow_worker --engine virtual --workers 0 --policy retry": "--workers must be 1 to",
    "sweep slow_worker --workers 0 --policy retry": "--workers must be 1 to",
}


PIPELINES = {
    "": "--policy: an empty pipeline",
    "retri": "unknown policy preset 'retri'. Closest: retry. Presets: none, timeout, ",
    "timeout-breaker": "unknown policy preset 'timeout-breaker'. Closest: timeout_breaker.",
    "NONE": "unknown policy preset 'NONE'. Closest: none.",
    "timeout(ttft=0) | retry()": "--policy: timeout: ttft_s must be a number above 0, got 0",
    "timeout(tft=1)": "--policy: timeout: unknown parameter 'tft'; closest: ttft_s; known: connect_s, ",
    "timeout(ttft=soon)": "--policy: timeout: ttft_s must be a number above 0, got 'soon'",
    "bulkhead() | bulkhead()": "--policy: bulkhead is there 2 times: leave one out",
    "bulkhead() | retry()": "wrong order: retry belongs before bulkhead. Right is: retry() | bulkhead()",
    "retry() | retry()": "Leave one out, or ask for it: retry(stacked=true)",
    "timeout(ttft='2)": '--policy: "timeout(ttft=\'2)": unterminated string literal',
    "timeout(ttft=2": "--policy: 'timeout(ttft=2' is no policy. Write name(parameter=value, ...)",
    "'timeout()'": "is no policy. Write name(parameter=value, ...)",
    "timeout_breaker | retry()": "timeout_breaker is a preset and stands alone: `limplock list pipelines`",
    "no_module_of_ours:Mine()": "no_module_of_ours:Mine: cannot import no_module_of_ours: there is no module",
    "os:getcwd": "--policy: os:getcwd is no policy",
    "timeout(\x1b[2J)": "\\x1b[2J",
    "timeout(\ud800)": "\\ud800",
    "missing.policy": "cannot read 'missing.policy': No such file or directory",
    "folder.policy": "cannot read 'folder.policy': Is a directory",
    "retry | " * 40: "--policy: a policy is missing",  # longer than the name of a file may be
    "bytes.policy": "bytes.policy is no text. It is to hold a pipeline",
    "empty.policy": "empty.policy:1: an empty pipeline",
    "third_line.policy": "third_line.policy:3: unknown policy 'retri'; closest: retry;",
    "order.policy": "order.policy: wrong order: timeout belongs before retry",
    "long.policy": "long.policy:1: a pipeline of 10,001 characters; at most 10,000 are accepted",
    "pipeline.txt": "--policy: a file with a pipeline is called NAME.policy, got pipeline.txt",
    "x" * 300 + ".policy": "File name too long",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.policy").mkdir()
    Path("bytes.policy").write_bytes(b"\xff\xfe\x00\x80")
    texts = {"empty.policy": "", "third_line.policy": "# mine\ntimeout()  # | x\n  | retri()\n| bulkhead()\n"}
    texts |= {"order.policy": "retry()\n| timeout()", "long.policy": "x" * 20_000, "pipeline.txt": "retry()"}
    for name, text in texts.items():
        Path(name).write_text(text)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command", ["run slow_worker --engine virtual", "sweep slow_worker", "validate", "serve"]
)
@pytest.mark.parametrize("policy", PIPELINES)
def test_a_wrong_pipeline_is_refused_in_one_line_by_every_command(
    command: str, policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    assert run_command_line([*command.split(), "--policy", policy]) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert PIPELINES[policy] in err
    assert err.count("\n") == 1
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_is_refused_in_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(line.split()) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert WRONG[line] in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "below")
    assert run_command_line(["run", "slow_worker", "--out", out]) == ExitCode.BAD_INPUT
    assert "cannot write to" in capsys.readouterr().err


def test_a_fault_without_a_running_gateway_says_how_to_start_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    assert run_command_line(["fault", "slow_steps"]) == ExitCode.ENVIRONMENT
    assert "no `limplock serve` is running here" in capsys.readouterr().err


KINDS = ["scenarios", "policies", "presets", "pipelines", "shapes", "metrics"]


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_every_list_has_an_entry_with_a_meaning_for_each_name_and_wraps_below_it(
    kind: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run_command_line(["list", kind]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert all(len(line) <= width for line in lines)
    entries = [line.split(maxsplit=1) for line in lines if not line.startswith(" ")]
    assert [entry[0] for entry in entries] == list(catalogue(kind))
    assert all(len(entry) == 2 for entry in entries)
    assert len(entries) >= 3


def test_without_a_kind_the_kinds_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["list"]) == ExitCode.PASS
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert {line.split()[0] for line in lines} == {*KINDS, "faults"}
    assert all(len(line.split()) > 2 for line in lines)


def test_a_metric_says_of_what_it_is_and_how_its_percentiles_are_written() -> None:
    listed = catalogue("metrics")
    written = {name: meaning.splitlines()[1] for name, meaning in listed.items()}
    asking, quantiles = "of one caller that asks for tokens", ".p50 .p90 .p95 .p99"
    assert written["ttft_s"] == f"{asking}: {quantiles}, each with _all or _ok"
    assert written["tpot_s"] == f"{asking}: {quantiles}, each with _ok"
    assert written["hop_s"] == f"of one service, the gateway or a worker: {quantiles}"
    assert written["wait_s"] == f"of one service or the gateway: {quantiles}"
    assert written["drop_ratio"] == "of one caller"
    assert written["detection_s"] == "of the whole run"


@pytest.mark.parametrize("width", [80, 200])
def test_faults_are_listed_by_family_as_they_are_written(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run_command_line(["list", "faults"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 90
    assert all(len(line) <= width and line == line.rstrip() for line in lines)
    assert [line.split()[0] for line in lines if line[:1].strip()] == ["engine", "worker", "link", "process"]
    written = [line.strip() for line in lines if line.startswith("  ") and line[2] != " "]
    assert [read_fault(text).kind for text in written] == list(catalogue("faults"))


def test_a_listed_pipeline_is_its_preset_ready_to_be_changed_in_a_file() -> None:
    for name, text in catalogue("pipelines").items():
        listed, preset = assemble(parse(text)), PRESETS[name].build(4)
        assert listed.policies == preset.policies


def test_policies_are_listed_from_the_outermost_inwards_with_what_can_be_set() -> None:
    listed = catalogue("policies")
    order = ["timeout", "shed_queue_length", "retry", "breaker_window", "bulkhead", "least_request"]
    assert [name for name in listed if name in order] == order
    meaning, parameters = listed["timeout"].split("\n")
    assert meaning == POLICIES["timeout"].meaning
    assert parameters.startswith("(connect_s=2, ttft_s=10, ")


def test_a_bug_of_ours_is_one_line_and_the_traceback_is_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("harness.catalogue.catalogue", lambda kind: 1 / 0)
    assert run_command_line(["list", "presets"]) == ExitCode.BUG
    err = capsys.readouterr().err
    assert "this is a bug in limplock" in err
    path = Path(err.split()[-1])
    assert "ZeroDivisionError" in path.read_text()
    path.unlink()
