"""What a CI job is told, made safe for its formats."""

from harness.exit_codes import ExitCode
from harness.gating.conduct import Gate, result_of
from harness.gating.github import notes, summary, tell_github
from tests.harness.gating.fake_rounds import CALM, EDGE, FakeRounds, gate_file, planned

WILD = [3 * value for value in CALM]


def result(own):
    plan = planned(gate_file())
    return result_of(plan, Gate(plan=plan, rounds=FakeRounds(own=own)).cells(), "load", [])


def test_nothing_is_written_where_no_job_asks(tmp_path):
    assert tell_github(result(WILD), ExitCode.FAIL, tmp_path, {}) == []


def test_outputs_are_one_line_each(tmp_path):
    file = tmp_path / "output"
    tell_github(result(WILD), ExitCode.FAIL, tmp_path, {"GITHUB_OUTPUT": str(file)})
    lines = file.read_text().splitlines()
    assert [line.partition("=")[0] for line in lines] == ["verdict", "exit-code", "headline", "folder"]
    assert lines[0] == "verdict=FAIL"


def test_a_job_that_cannot_be_told_loses_no_verdict(tmp_path):
    tell_github(result(WILD), ExitCode.FAIL, tmp_path, {"GITHUB_OUTPUT": str(tmp_path / "no/such/file")})


def test_at_most_five_notes_the_broken_ones_first(tmp_path):
    undecided, broken = result(EDGE), result(WILD).cells[0].objectives[0]
    many = [*undecided.cells[0].objectives, *(broken.model_copy(update={"id": f"o{n}"}) for n in range(7))]
    cell = undecided.cells[0].model_copy(update={"objectives": many})
    mixed = undecided.model_copy(update={"cells": [cell]})
    found = tell_github(mixed, ExitCode.FAIL, tmp_path, {"GITHUB_ACTIONS": "true"})
    assert len(found) == 5
    assert found[0].startswith("::error file=gate.yaml,line=7::o0: x3.")
    assert list(notes(mixed))[-1].startswith("::warning")


def test_what_is_undecided_is_a_warning():
    assert [note.partition(" ")[0] for note in notes(result(EDGE))] == ["::warning"]


def test_a_table_is_not_broken_by_what_stands_in_it():
    found = result(WILD)
    cell = found.cells[0].model_copy(update={"fault": "a|b @all <img> \n c"})
    text = summary(found.model_copy(update={"cells": [cell]}))
    assert "a\\|b @\u200ball &lt;img&gt; c" in text
