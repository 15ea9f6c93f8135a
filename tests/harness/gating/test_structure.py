import pytest

from harness.gating.structure import MOST_ITEMS, Structure, read_structure
from harness.gating.yaml_text import read_yaml
from tests.harness.gating.files import LEAST


def read(text: str) -> tuple[Structure | None, list[tuple[int, str]]]:
    document = read_yaml(text)
    structure = read_structure(document)
    return structure, [(problem.line, problem.words) for problem in document.problems]


def problems(text: str) -> list[tuple[int, str]]:
    return read(text)[1]


def test_what_is_left_out_has_its_default() -> None:
    structure, found = read(LEAST)
    assert found == []
    assert structure is not None
    gate = structure.gate
    assert (gate.engine, gate.scenario, gate.seed, gate.policy) == ("torch", "slow_worker", 1, "contain")
    assert (gate.pairs.least, gate.pairs.most, gate.pairs.confidence) == (8, 12, 0.95)
    assert gate.workers is gate.load is gate.baseline is gate.faults is None
    entry = structure.objectives[0]
    assert (entry.during, entry.level, entry.on_missing, entry.of) == ("fault", "block", "inconclusive", "")
    assert entry.bounds() == {"max": 1.2}


@pytest.mark.parametrize("text", ["", "# only a comment", "[]", "3", "just words"])
def test_what_is_no_gate_is_told_what_a_gate_is(text: str) -> None:
    structure, found = read(text)
    assert structure is None
    ((line, words),) = found
    assert line == 1
    assert words.endswith("Write version: 1, policy and objectives. See docs/gate.md")


def test_a_file_that_cannot_be_read_is_told_of_that_alone() -> None:
    assert len(problems("a: [")) == 1


@pytest.mark.parametrize("name", ["version", "policy", "objectives"])
def test_what_must_be_there_is_asked_for(name: str) -> None:
    others = {
        "version": "version: 1",
        "policy": "policy: contain",
        "objectives": "objectives: [{id: a, metric: b}]",
    }
    del others[name]
    ((line, words),) = problems("\n".join(others.values()))
    assert (line, words.split(".")[0]) == (1, f"{name} is missing")


def test_a_key_without_a_value_is_told_once() -> None:
    assert problems("version: 1\npolicy:\nobjectives: [{id: a, metric: }]\n") == [
        (2, "'policy' has no value. Write one behind the colon"),
        (3, "'metric' has no value. Write one behind the colon"),
    ]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("version: 2", "version 2 is unknown. This limplock reads version: 1"),
        ("version: '1'", "version '1' is unknown. This limplock reads version: 1"),
        ("version: 1.0", "version 1 is unknown. This limplock reads version: 1"),
        ("version: true", "version true is unknown. This limplock reads version: 1"),
        ("engine: torsch", "engine is 'torsch'. Write torch or virtual"),
        (
            "sceanrio: healthy",
            "unknown key 'sceanrio'. Closest: scenario. All: baseline, engine, faults, guards,"
            " load, objectives, pairs, phases, policy, scenario, seed, version, workers",
        ),
        ("workers: 4.0", "workers takes a whole number, got 4"),
        ("workers: four", "workers takes a whole number, got 'four'"),
        ("workers: 0", "workers is 0. Write 1 or more"),
        ("workers: 10001", "workers is 10001. Write 10000 or less"),
        ("seed: -1", "seed is -1. Write 0 or more"),
        ("seed: true", "seed takes a whole number, got true"),
        ("load: true", "load takes a number, or text such as 2 s or 2%"),
        ("load: [1]", "load takes a number, or text such as 2 s or 2%"),
        ("policy: 3", "policy takes text, got 3"),
        ("policy: no way", ""),
        ("policy: false", "policy takes text, got false"),
        ("policy: ''", "policy is empty. See docs/gate.md"),
        ("policy: {a: b}", "policy takes text, got key: value pairs"),
        ("faults: slow_steps()", "faults takes a list, [a, b] or a line '- a' each, got 'slow_steps()'"),
        ("faults: []", "faults is empty. Add one, or leave the key out"),
        (f"faults: [{', '.join('a' * 17)}]", "faults has more than 16. Make two gates of it"),
        (f"scenario: {'a' * 101}", "scenario is longer than 100 characters. See docs/gate.md"),
        ("baseline: none", "baseline takes key: value pairs, got 'none'"),
        ("baseline: {polcy: none}", "unknown key 'polcy'. Closest: policy. All: policy, result"),
        ("pairs: {least: 5}", "pairs.least is 5. Write 6 or more"),
        ("pairs: {most: 31}", "pairs.most is 31. Write 30 or less"),
        (
            "phases: {fault: 3 s}",
            "unknown key 'fault'. Closest: fault_s. All: baseline_s, fault_s, recovery_s, warm_up_s",
        ),
        ("objectives: 3", "objectives takes a list, [a, b] or a line '- a' each"),
        ("objectives: []", "objectives is empty. Add one, or leave the key out where it may be"),
        (f"objectives: [{', '.join('a' * (MOST_ITEMS + 1))}]", "objectives has 101. Write at most 100"),
        ("objectives: [3]", "it takes key: value pairs, got 3"),
        ("objectives: [{metric: a}]", "id is missing. See docs/gate.md"),
        ("objectives: [{id: a}]", "metric is missing. See docs/gate.md"),
        ("objectives: [{id: a b, metric: a}]", "id is 'a b'. Write at most 40 letters, digits, - and _"),
        (
            f"objectives: [{{id: {'a' * 41}, metric: a}}]",
            f"id is '{'a' * 41}'. Write at most 40 letters, digits, - and _",
        ),
        (
            "objectives: [{id: a, metric: a, during: late}]",
            "during is 'late'. Write fault, control, before or after",
        ),
        ("objectives: [{id: a, metric: a, level: no}]", "level is 'no'. Write block, warn or info"),
        (
            "objectives: [{id: a, metric: a, on_missing: pass}]",
            "on_missing is 'pass'. Write inconclusive or fail",
        ),
        (
            "objectives: [{id: a, metric: a, mx: 2}]",
            "unknown key 'mx'. Closest: max. All: during, id, level, max,"
            " max_vs_baseline, max_vs_control, metric, min, min_vs_baseline, min_vs_control, of, on_missing",
        ),
        ("faults: [a, null]", "faults takes text, got nothing"),
        (
            "guards: [{metric: a, over: 1, for_: 2}]",
            "unknown key 'for_'. Closest: for. All: for, metric, of, over",
        ),
    ],
)
def test_a_wrong_key_or_value_is_told_with_its_line_and_what_to_write(entry: str, words: str) -> None:
    name = entry.partition(":")[0]
    kept = [
        line
        for line in ("version: 1", "policy: x", "objectives: [{id: a, metric: b}]")
        if name != line.partition(":")[0]
    ]
    found = problems("\n".join([*kept, entry]))
    assert [each for each in found if each[1] == words] == ([(len(kept) + 1, words)] if words else [])
    assert {line for line, _ in found} <= {len(kept) + 1}


def test_what_is_right_is_read_beside_what_is_not() -> None:
    structure, found = read(
        "version: 1\npolicy: x\nengine: none\nseed: 7\nobjectives:\n"
        "  - {id: a, metric: b, typo: 1, max: 2}\n  - 3\n  - {id: c, metric: d, min: 1}\n"
        "guards: [{metric: a}, {metric: b, over: 1, for: 2}]\n"
    )
    assert [line for line, _ in found] == [3, 6, 7, 9, 9]
    assert structure is not None
    assert structure.gate.seed == 7
    assert {number: entry.id for number, entry in structure.objectives.items()} == {0: "a", 2: "c"}
    assert {number: entry.for_ for number, entry in structure.guards.items()} == {1: 2}
