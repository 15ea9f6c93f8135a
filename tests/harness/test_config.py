from pathlib import Path

import pytest

from harness import commands
from harness.cli import run_command_line
from harness.config import check_toxiproxy, make_folder, make_writable
from harness.errors import BadInput
from harness.exit_codes import ExitCode


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
