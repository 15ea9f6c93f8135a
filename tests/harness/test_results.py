import json
import re
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.results import file_name, new_folder, run_folder, write_result
from tests.harness.judging.synthetic import judged


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_latest_points_at_the_newest_folder() -> None:
    first, second = new_folder(None), new_folder(None)
    assert first != second
    assert (Path("limplock-results") / "latest").resolve() == second.resolve()


def test_a_named_folder_is_taken_as_it_is_and_made_if_need_be() -> None:
    assert new_folder(Path("a/b")) == Path("a/b")
    assert Path("a/b").is_dir()
    assert not Path("limplock-results").exists()


def test_a_folder_that_cannot_be_written_is_bad_input() -> None:
    Path("file").write_text("")
    with pytest.raises(BadInput, match="cannot write to file/x"):
        new_folder(Path("file/x"))


def test_the_result_on_disk_is_the_result() -> None:
    result = judged()
    path = write_result(run_folder(Path("out"), "slow_worker", "none"), result)
    assert path == Path("out/slow_worker.none/result.json")
    assert type(result).from_json(path.read_text()) == result
    assert json.loads(path.read_text())["verdict"] == result.verdict


@pytest.mark.parametrize("preset", ["none", "timeout_breaker_shed", "timeout.17"])
def test_a_presets_name_is_its_files_name(preset: str) -> None:
    assert file_name(preset) == preset


@pytest.mark.parametrize(
    "text", ["retry()", "../../x", "a/b | c", "mine:make('\x1b[2J é')", "é", "r" * 5000, "|", ""]
)
def test_any_pipeline_has_a_short_plain_name_of_its_own(text: str) -> None:
    name = file_name(text)
    assert re.fullmatch(r"[\w.=-]{1,80}", name, re.ASCII)
    assert not name.startswith(".")
    assert name != file_name(f"{text} ")
