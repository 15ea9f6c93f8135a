from pathlib import Path

import pytest

from harness.gating.gate_file import GateFile
from harness.gating.reading import read_gate_file
from harness.judging.pairs.objective import Objective
from tests.harness.gating.files import LEAST, objective, refusal, written

EXAMPLE = Path(__file__).parents[3] / "docs" / "gate.example.yaml"


def test_the_example_of_the_documents_is_a_gate() -> None:
    gate = read_gate_file(EXAMPLE)
    assert (gate.policy, gate.load_ratio, gate.pairs.confidence_ratio) == ("contain", 0.5, 0.95)
    assert gate.baseline is not None
    assert gate.baseline.policy == "libraries"
    assert [each.against for each in gate.objectives][:3] == ["control", "", "baseline"]
    lines = EXAMPLE.read_text().splitlines()
    for each in gate.objectives:
        assert f"id: {each.id}," in lines[each.line - 1]
    for number, fault in enumerate(gate.faults):
        assert fault in lines[gate.line_of("faults", number) - 1]
    for guard in gate.guards:
        assert f"metric: {guard.metric}," in lines[guard.line - 1]
    assert len(gate.faults) == 2


def test_the_least_that_a_gate_has_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, LEAST)
    found = read_gate_file(path)
    only = Objective(id="calm", metric="retry_amplification", bound="max", limit=1.2, line=4)
    assert found == GateFile(path=path, policy="contain", objectives=(only,), lines=found.lines)


@pytest.mark.parametrize(
    "content",
    [
        LEAST.replace("\n", "\r\n").encode(),
        LEAST.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + LEAST.encode(),
        b'{\n\t"version": 1, "policy": "contain",\n'
        b'\n"objectives": [{"id": "calm", "metric": "retry_amplification", "max": 12e-1}]}',
    ],
)
def test_line_ends_byte_order_mark_and_json_change_nothing(content: bytes, tmp_path: Path) -> None:
    usual = read_gate_file(written(tmp_path, LEAST))
    found = read_gate_file(written(tmp_path, content))
    assert found.objectives == usual.objectives
    assert found.policy == usual.policy


def test_files_are_looked_for_beside_the_gate(tmp_path: Path) -> None:
    (tmp_path / "own.policy").write_text("timeout(ttft=2) | retry()")
    (tmp_path / "old.json").write_text("{}")
    text = LEAST.replace("contain", "own.policy") + "baseline: {result: old.json}\n"
    gate = read_gate_file(written(tmp_path, text))
    assert gate.policy == str(tmp_path / "own.policy")
    assert gate.baseline is not None
    assert gate.baseline.result == tmp_path / "old.json"


def test_an_engine_given_beside_the_file_takes_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, LEAST + "faults: [gpu_power_limit()]\n")
    assert read_gate_file(path).engine == "torch"
    (words,) = refusal(path, "virtual")
    assert words.startswith("gate.yaml:5: gpu_power_limit needs a GPU")
    assert read_gate_file(written(tmp_path, LEAST), "virtual").engine == "virtual"


def test_a_percentile_is_checked_where_the_load_is_known(tmp_path: Path) -> None:
    late = objective("{id: late, metric: ttft_s.p99_all, of: tenant, max: 2 s}")
    (words,) = refusal(written(tmp_path, late))
    assert words.startswith("gate.yaml:4: late: p99 needs 300 requests; tenant")
    assert read_gate_file(written(tmp_path, late + "load: 65%\n")).load_ratio == 0.65


@pytest.mark.parametrize("content", ["", "\n", "# only a comment\n", "---\n"])
def test_an_empty_file_says_what_a_gate_is(content: str, tmp_path: Path) -> None:
    assert refusal(written(tmp_path, content)) == [
        "gate.yaml:1: the file is empty. Write version: 1, policy and objectives. See docs/gate.md"
    ]


def test_everything_wrong_is_told_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = """\
version: 1
polcy: contain
policy: contian
engine: torsch
load: 0
workers: 1
objectives:
  - {id: a, metric: ttft_s, of: chat, max: 2 s}
  - {id: b, metric: goodput_ratio, of: chat, max_vs_control: 150%}
  - {id: c, metric: goodput_ratio, of: chat, min: 97, max: 3}
  - {id: d, id: e, metric: goodput_ratio, of: chat}
guards:
  - {metric: drop_ratio, of: chat, over: 500, for: 3 s}
seed: 1.5
"""
    told = refusal(written(tmp_path, text))
    assert [int(line.split(":")[1]) for line in told] == [2, 3, 4, 5, 6, 8, 9, 10, 11, 11, 13, 14]


def test_of_a_hundred_problems_twenty_are_told(tmp_path: Path) -> None:
    entries = "".join(f"  - {{id: a{number}, metric: x}}\n" for number in range(100))
    told = refusal(written(tmp_path, f"version: 1\npolicy: contain\nobjectives:\n{entries}"))
    assert len(told) == 21
    assert told[-1] == "gate.yaml: and 80 more. Mend these first"


def test_a_text_within_a_text_does_not_break_a_line(tmp_path: Path) -> None:
    text = objective('{id: a, metric: goodput_ratio, of: "x\\ny", min: 0.5}')
    (words,) = refusal(written(tmp_path, text))
    assert words.startswith("gate.yaml:4: a: unknown place 'x y'.")
