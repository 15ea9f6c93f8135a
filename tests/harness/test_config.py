from pathlib import Path

import pytest

from harness import commands
from harness.cli import run_command_line
from harness.config import check_toxiproxy, find_preset, find_presets, make_folder, make_writable, stacking
from harness.errors import BadInput
from harness.exit_codes import ExitCode
from policies.presets import PRESETS


@pytest.mark.parametrize("choice", ["auto", "embedded", "http://127.0.0.1:8474"])
def test_what_can_be_chosen_for_toxiproxy_is_taken(choice: str) -> None:
    assert check_toxiproxy(choice) == choice


@pytest.mark.parametrize("command", ["run healthy", "demo", "serve"])
@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1", "http://example.org:8474"])
def test_a_wrong_url_is_refused_before_anything_is_started_or_made(
    command: str,
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def started(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(commands, "run_all", started)
    monkeypatch.setattr(commands, "serve", started)
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert run_command_line([*command.split(), "--toxiproxy", url]) == ExitCode.BAD_INPUT
    err = capsys.readouterr().err
    assert f"--toxiproxy {url}" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--out"):
        make_folder(tmp_path / "file" / "below")
    with pytest.raises(NotADirectoryError):
        make_writable(tmp_path / "file" / "below")


def test_nothing_is_left_in_a_folder_by_trying_it(tmp_path: Path) -> None:
    assert list(make_folder(tmp_path / "a" / "b").iterdir()) == []


@pytest.mark.parametrize("name", PRESETS)
def test_a_presets_name_is_the_preset(name: str) -> None:
    assert find_preset(name) is PRESETS[name]


def test_a_policys_name_alone_is_a_pipeline_of_it() -> None:
    assert find_preset("retry").name == "retry()"


def test_a_pipeline_in_a_file_is_named_by_its_text_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.policy"
    file.write_text("\ufeff# mine\n timeout(ttft=2)  # s\n\t| retry\n", encoding="utf-8")
    preset = find_preset(str(file))
    assert preset.name == "timeout(ttft=2) | retry()"
    assert [layer.name for layer in preset.build(4).layers] == ["deadline", "retry"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_file_with_a_policys_name_is_never_taken_for_the_preset_of_that_name(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.policy"
    file.write_text(name)
    try:
        preset = find_preset(str(file))
    except BadInput as refused:
        assert "is a preset and stands alone" in str(refused)  # noqa: PT017
    else:
        assert preset.name == f"{name}()"
        assert find_preset(preset.name).name == preset.name


def test_the_same_pipeline_however_it_is_written_is_run_once() -> None:
    names = [preset.name for preset in find_presets(["retry", " retry( ) ", "retry()", "none", "none"])]
    assert names == ["retry()", "none"]


def test_attempts_that_multiply_are_told_beforehand() -> None:
    assert stacking(find_preset("retry")) == ""
    stacked = find_preset("retry(max_attempts=3) | retry(max_attempts=4, stacked=true)")
    assert stacking(stacked) == "attempts of one call multiply, retry and retry: 3 x 4 = 12, budgets aside"
