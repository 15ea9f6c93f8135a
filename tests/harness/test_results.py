import json
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.results import new_folder, run_folder, write_result
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
